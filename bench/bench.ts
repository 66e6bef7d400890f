// `npm run bench` compares the CPU time of a create with that in two simpler Workers. It counts all
// that workerd does: HTTP, the Worker, and a KV that responds at once. It takes four minutes.
import { readFileSync } from "node:fs";
import { bundle, startWorkerd } from "../test/support/workerd.ts";
import "../test/support/setup.ts";

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

type Worker = Awaited<ReturnType<typeof start>>;

/** Starts a Worker. Resolves to its path, and to a function that measures the creates of a round. */
async function start(entry: string) {
	const { child, url } = await startWorkerd(bundle(entry), TOKEN, KV);
	const measure = async (firstId: bigint) => {
		const before = cpuTime(child.pid);
		for (let i = 0; i < CREATES; i++) await createExactly(url, firstId + BigInt(i));
		return cpuTime(child.pid) - before;
	};
	return { entry, measure };
}

/** Creates a plant. Throws if the response is not exactly the plant. */
async function createExactly(url: string, id: bigint) {
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

/** Prints the time of a create as a multiple of that in each other Worker. The Workers take turns. */
async function compare(name: string, firstId: bigint) {
	const times = new Map<Worker, number[]>(workers.map((worker) => [worker, []]));
	process.stderr.write(`${name} `);
	for (let round = 1; round <= ROUNDS; round++) {
		for (const worker of workers) times.get(worker)?.push(await worker.measure(firstId));
		process.stderr.write(".");
	}
	process.stderr.write("\n");
	const time = median(times.get(service) ?? []);
	for (const other of others) {
		const ratio = time / median(times.get(other) ?? []);
		console.log(`${name}: ${ratio.toFixed(1)} times ${other.entry}`);
	}
}

// Without these listeners, an interrupted benchmark would leave files and workerd behind.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
	process.on(signal, () => process.exit(1));
}
const others = [
	await start("bench/workers/hand-written.ts"),
	await start("bench/workers/hono-zod-mini.ts"),
];
const service = await start("src/index.ts");
const workers = [...others, service];
await compare("a short id", 1n);
await compare("an id of 19 digits", 1234567890123456789n);
process.exit();
