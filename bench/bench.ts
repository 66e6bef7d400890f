// `npm run bench` prints the CPU time of a create, and its ratio to that of each of two simpler
// Workers. It counts all of workerd: HTTP, the Worker, and a KV that responds at once.
// It takes five minutes.
import { readFileSync } from "node:fs";
import { bundle, startWorkerd } from "../test/support/workerd.ts";
import "../test/support/setup.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const ROUNDS = 15;
const KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

if (process.platform !== "linux") {
	console.error("The benchmark needs Linux: it reads the CPU time of workerd from /proc.");
	process.exit(1);
}

type Worker = Awaited<ReturnType<typeof start>>;

/** Starts a Worker. Resolves to its path, and to a function that measures a create in ms. */
async function start(entry: string) {
	const { child, url } = await startWorkerd(bundle(entry), TOKEN, KV);
	const measure = async (plant: object, firstId: bigint, creates: number) => {
		const before = cpuTime(child.pid);
		for (let i = 0; i < creates; i++) await createExactly(url, firstId + BigInt(i), plant);
		return (cpuTime(child.pid) - before) / creates;
	};
	return { entry, measure };
}

/** Creates a plant. Throws if the response is not exactly the plant. */
async function createExactly(url: string, id: bigint, plant: object) {
	const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
	const expected = JSON.stringify(plant);
	const body = `{"id":${id},${expected.slice(1)}`;
	const response = await fetch(`${url}/plants`, { method: "POST", headers, body });
	const text = await response.text();
	if (text !== expected) throw new Error(`${response.status} ${text.slice(0, 200)}`);
}

/** The CPU time of a process so far, in milliseconds: utime and stime of proc_pid_stat(5). */
function cpuTime(pid?: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
	const ticks = Number(fields[11]) + Number(fields[12]);
	// On Linux, there are 100 ticks in a second (USER_HZ).
	return ticks * 10;
}

/** The median of measurements. */
function median(times: number[]): number {
	return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** Prints what a create takes, and its ratio to that in every other Worker. The Workers take turns. */
async function compare(name: string, plant: object, firstId: bigint, creates: number) {
	const times = new Map<Worker, number[]>(workers.map((worker) => [worker, []]));
	process.stderr.write(`${name} `);
	for (let round = 1; round <= ROUNDS; round++) {
		for (const worker of workers) {
			times.get(worker)?.push(await worker.measure(plant, firstId, creates));
		}
		process.stderr.write(".");
	}
	process.stderr.write("\n");
	const time = median(times.get(service) ?? []);
	console.log(`${name}: ${time.toFixed(3)} ms of CPU time`);
	for (const other of others) {
		const ratio = time / median(times.get(other) ?? []);
		console.log(`${name}: ${ratio.toFixed(2)} times ${other.entry}`);
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
const plant = { name: "Monstera deliciosa", tag: "tropical" };
await compare("a plant", plant, 1n, 2000);
await compare("an id of 19 digits", plant, 1234567890123456789n, 2000);
await compare("a name of 1 MiB", { name: "x".repeat(2 ** 20 - 30) }, 1n, 200);
process.exit();
