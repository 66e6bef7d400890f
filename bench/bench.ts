// `npm run bench` compares the CPU time of a create with that in two other Workers. It counts all
// that workerd does: HTTP, the Worker, and a KV that responds at once. It takes two minutes.
import { readFileSync } from "node:fs";
import { setEnvironment } from "../test/support/environment.ts";
import { bundle, startWorkerd } from "../test/support/workerd.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const ROUNDS = 15;
const CREATES = 2000;
const KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

if (process.platform !== "linux") {
	console.error("The benchmark needs Linux: it reads the CPU time of workerd from /proc.");
	process.exit(1);
}

/** Starts a Worker. Each call of `measure` adds the CPU time of a round of creates to `times`. */
async function start(entry: string) {
	const { child, url } = await startWorkerd(bundle(entry), TOKEN, KV);
	const times: number[] = [];
	const measure = async () => {
		const before = cpuTime(child.pid);
		for (let id = 1; id <= CREATES; id++) await createExactly(url, id);
		times.push(cpuTime(child.pid) - before);
	};
	return { entry, times, measure };
}

/** Creates a plant. Throws if the response is not exactly the plant. */
async function createExactly(url: string, id: number) {
	const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
	const plant = '"name":"Monstera deliciosa","tag":"tropical"}';
	const body = `{"id":${id},${plant}`;
	const response = await fetch(`${url}/plants`, { method: "POST", headers, body });
	const text = await response.text();
	if (text !== `{${plant}`) throw new Error(`${response.status} ${text}`);
}

/** The CPU time of a process so far, in clock ticks: utime and stime of proc_pid_stat(5). */
function cpuTime(pid?: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
	return Number(fields[11]) + Number(fields[12]);
}

/** The median of measurements. */
function median(times: number[]): number {
	return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** The median CPU time of a create. A clock tick is 10 ms on Linux. */
function msPerCreate(times: number[]): string {
	return ((median(times) * 10) / CREATES).toFixed(2);
}

/** Measures all Workers, and prints how the service compares with each other one. */
async function compare() {
	const service = await start("src/index.ts");
	const others = [
		await start("bench/workers/hand-written.ts"),
		await start("bench/workers/usual-service.ts"),
	];
	for (let round = 1; round <= ROUNDS; round++) {
		process.stderr.write(`round ${round} of ${ROUNDS}\n`);
		// The Workers take turns, because a machine isn't equally fast all the time.
		for (const worker of [service, ...others]) await worker.measure();
	}
	console.log(`src/index.ts: ${msPerCreate(service.times)} ms of CPU time for a create`);
	for (const { entry, times } of others) {
		const ratio = (median(service.times) / median(times)).toFixed(1);
		console.log(`${entry}: ${msPerCreate(times)} ms; src/index.ts takes ${ratio} times that`);
	}
}

// Without these listeners, an interrupted benchmark would leave files and workerd behind.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
	process.on(signal, () => process.exit(1));
}
setEnvironment();
await compare().catch((exception: Error) => {
	// Ctrl-C ends Wrangler and workerd, too, perhaps before this process.
	console.error(`There is no result: ${exception.message}`);
	process.exit(1);
});
process.exit();
