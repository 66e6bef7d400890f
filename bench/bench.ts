// `npm run bench` prints the CPU time of a create, beside that of two Workers that do less.
// It is that of the whole workerd process, with a KV that answers at once. It needs Linux.
import { readFileSync } from "node:fs";
import { bundle, startWorkerd } from "../test/support/workerd.ts";
import "../test/support/setup.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const ROUNDS = 15;
const KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

/** Starts a Worker. Resolves to a function that returns the CPU time of some creates, in ms each. */
async function start(entry: string) {
	const { child, url } = await startWorkerd({ file: await bundle(entry), token: TOKEN, kv: KV });
	return async (plant: object, creates: number) => {
		const before = cpuTime(child.pid);
		for (let id = 1; id <= creates; id++) await create(url, id, plant);
		return (cpuTime(child.pid) - before) / creates;
	};
}

/** Creates a plant. Throws if the answer is not exactly the plant. */
async function create(url: string, id: number, plant: object) {
	const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
	const body = JSON.stringify({ id, ...plant });
	const answer = await fetch(`${url}/plants`, { method: "POST", headers, body });
	const text = await answer.text();
	if (text !== JSON.stringify(plant)) throw new Error(`${answer.status} ${text.slice(0, 200)}`);
}

/** The CPU time of a process so far, in milliseconds: utime and stime of proc_pid_stat(5). */
function cpuTime(pid?: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
	const ticks = Number(fields[11]) + Number(fields[12]);
	// There are 100 ticks in a second.
	return ticks * 10;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[(values.length - 1) / 2];

const workers = {
	"hand-written": await start("bench/workers/hand-written.ts"),
	"hono-zod-mini": await start("bench/workers/hono-zod-mini.ts"),
	"plant-store": await start("src/index.ts"),
};
for (const [name, plant, creates] of [
	["a plant", { name: "Monstera deliciosa", tag: "tropical" }, 2000],
	["a plant of 1 MiB", { name: "x".repeat(2 ** 20 - 30) }, 50],
] as const) {
	const times = new Map(Object.keys(workers).map((worker) => [worker, [] as number[]]));
	for (let round = 1; round <= ROUNDS; round++) {
		for (const [worker, measure] of Object.entries(workers)) {
			times.get(worker)?.push(await measure(plant, creates));
		}
	}
	for (const [worker, values] of times) {
		console.log(`${name}, ${worker}: ${median(values)?.toFixed(3)} ms`);
	}
}
process.exit();
