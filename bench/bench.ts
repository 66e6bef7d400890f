// `npm run bench` prints the CPU time of a create, beside that of two Workers that do less.
// It counts all of workerd: HTTP, the Worker, and a KV that responds at once. It needs Linux, and
// three minutes.
import { readFileSync } from "node:fs";
import { bundle, startWorkerd } from "../test/support/workerd.ts";
import "../test/support/setup.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const ROUNDS = 15;
const KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

type Worker = Awaited<ReturnType<typeof start>>;

/** Starts a Worker. Resolves to its path, and to a function that measures a create in ms. */
async function start(entry: string) {
	const { child, url } = await startWorkerd(bundle(entry), TOKEN, KV);
	const measure = async (plant: object, creates: number) => {
		const before = cpuTime(child.pid);
		for (let id = 1; id <= creates; id++) await create(url, id, plant);
		return (cpuTime(child.pid) - before) / creates;
	};
	return { entry, measure };
}

/** Creates a plant. Throws if the response is not exactly the plant. */
async function create(url: string, id: number, plant: object) {
	const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
	const body = JSON.stringify({ id, ...plant });
	const response = await fetch(`${url}/plants`, { method: "POST", headers, body });
	const text = await response.text();
	if (text !== JSON.stringify(plant)) throw new Error(`${response.status} ${text.slice(0, 200)}`);
}

/** The CPU time of a process so far, in milliseconds: utime and stime of proc_pid_stat(5). */
function cpuTime(pid?: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
	const ticks = Number(fields[11]) + Number(fields[12]);
	// On Linux, there are 100 ticks in a second (USER_HZ).
	return ticks * 10;
}

/** Prints what a create of this plant takes: the median of rounds. The Workers take turns. */
async function compare(workers: Worker[], name: string, plant: object, creates: number) {
	const times = new Map(workers.map(({ entry }) => [entry, [] as number[]]));
	for (let round = 1; round <= ROUNDS; round++) {
		for (const { entry, measure } of workers) {
			times.get(entry)?.push(await measure(plant, creates));
		}
	}
	for (const [entry, rounds] of times) {
		const median = rounds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
		console.log(`${name}: ${median?.toFixed(3)} ms of CPU time in ${entry}`);
	}
}

// Without these listeners, an interrupted benchmark would leave files and workerd behind.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
	process.on(signal, () => process.exit(1));
}
const workers = [
	await start("bench/workers/hand-written.ts"),
	await start("bench/workers/hono-zod-mini.ts"),
	await start("src/index.ts"),
];
await compare(workers, "a plant", { name: "Monstera deliciosa", tag: "tropical" }, 2000);
await compare(workers, "a name of 1 MiB", { name: "x".repeat(2 ** 20 - 30) }, 200);
process.exit();
