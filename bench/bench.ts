// Compares this service with the floor and with its peers, in the same rounds of one run.
// `npm run bench` keeps the figures in results.json and results.svg; with `-- --quick` it only shows that all works.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startDev } from "../harness/dev.ts";
import { load, ofSize, TOKEN } from "../harness/load.ts";
import { bundle, INSTANT_KV, startWorkerd, until, workerd } from "../harness/workerd.ts";
import { COUNTED, canCount, count, startCounting } from "./count.ts";
import { plot } from "./plot.ts";

if (!canCount) {
	console.error("Install valgrind, which counts the instructions: apt-get install valgrind");
	process.exit(2);
}

const here = import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), "plant-store-bench-"));
process.once("exit", () => rmSync(work, { recursive: true, force: true }));
const quick = process.argv.includes("--quick");
const begin = performance.now();
const log = (text: string) =>
	process.stderr.write(`${((performance.now() - begin) / 1000).toFixed(0)} s: ${text}\n`);
const run = (command: string, ...args: string[]) =>
	execFileSync(command, args, { encoding: "utf8" });

/** A bundle, as it would be deployed, and its sizes in bytes. */
interface Worker {
	name: string;
	file: string;
	minified: number;
	gzip: number;
}

function build(name: string, entry: string): Worker {
	const file = bundle(entry, join(work, name));
	const code = readFileSync(file);
	// The same for Node, which goes by the name.
	writeFileSync(`${file}.mjs`, code);
	return { name, file, minified: code.length, gzip: gzipSync(code).length };
}

/** A mean, and its standard error. */
interface Mean {
	mean: number;
	error: number;
}

function meanOf(values: number[]): Mean {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
	return { mean, error: Math.sqrt(squares / Math.max(values.length - 1, 1) / values.length) };
}

/** A mean in multiples of another one. */
function ratioOf(one: Mean, other: Mean): Mean {
	if (one === other) return { mean: 1, error: 0 };
	const ratio = one.mean / other.mean;
	return { mean: ratio, error: ratio * Math.hypot(one.error / one.mean, other.error / other.mean) };
}

/** Measures all things in turn, so many times; returns the values of each. */
async function rounds<T, U>(times: number, things: T[], measure: (thing: T) => Promise<U>) {
	const values = things.map((): U[] => []);
	for (let round = 0; round < times; round++) {
		for (const [index, thing] of things.entries()) values[index]?.push(await measure(thing));
	}
	return values;
}

/** Starts a worker in workerd, with a KV service that answers at once. */
async function serve({ file }: Worker, how: { wrap?: string[]; v8Flags?: string[] } = {}) {
	const options = { folder: work, file, token: TOKEN, kv: INSTANT_KV, ...how };
	const { child, port } = await startWorkerd(options);
	await until(() => load(port, { requests: 1, clients: 1 }));
	return { child, port, pid: child.pid ?? 0 };
}

/** Milliseconds that evaluating a bundle takes in a fresh V8, which is Node's. */
async function evaluate({ file }: Worker): Promise<number> {
	const module = JSON.stringify(`${file}.mjs`);
	const code = `const start = performance.now(); await import(${module}); console.log(performance.now() - start)`;
	// A peer imports what only the Workers runtime has.
	const env = `data:text/javascript,${encodeURIComponent("export const env = { ACCESS_TOKEN: 'x' }")}`;
	const hooks = `import { registerHooks } from "node:module"; registerHooks({ resolve: (name, context, next) => name === "cloudflare:workers" ? { url: ${JSON.stringify(env)}, shortCircuit: true } : next(name, context) }); `;
	return Number(run("node", "--input-type=module", "--eval", hooks + code));
}

log("bundle sizes");
const floor = build("floor", "bench/workers/floor.ts");
const plantStore = build("plant-store", "src/index.ts");
const workers = [
	floor,
	plantStore,
	build("hono + zod", "bench/workers/hono.ts"),
	build("itty-router + zod", "bench/workers/itty-router.ts"),
];
const noKv = build("floor without KV", "bench/workers/no-kv.ts");

log("evaluation");
const evaluations = (await rounds(quick ? 1 : 15, workers, evaluate)).map(meanOf);

log("instructions a create");
async function instructions() {
	const served = await Promise.all([...workers, noKv].map((worker) => serve(worker, COUNTED)));
	const requests = quick ? 50 : 300;
	const createSome = (port: number) => load(port, { requests, clients: 4 });
	await Promise.all(
		served.map(async ({ port, pid }) => {
			await load(port, { requests: quick ? 500 : 2500, clients: 4 });
			startCounting(pid);
		}),
	);
	const costs = served.map((): number[] => []);
	for (let round = 0; round < (quick ? 2 : 15); round++) {
		// All at the same time: they do not disturb each other's counts.
		await Promise.all(
			served.map(async ({ port, pid }, index) => {
				costs[index]?.push((await count(pid, () => createSome(port))) / requests);
			}),
		);
	}
	for (const { child } of served) child.kill("SIGKILL");
	return costs;
}
const costs = (await instructions()).map(meanOf);
const [floorCost = meanOf([])] = costs;
const ratios = costs.map((cost) => ratioOf(cost, floorCost));

log("throughput, latency, memory");
const CLIENTS = [1, 8, 64];
async function speeds() {
	const served = await Promise.all(workers.map((worker) => serve(worker)));
	const requests = quick ? 300 : 1000;
	for (const { port } of served) await load(port, { requests, clients: 8 });
	const results = served.map((): { memory: number; clients: Record<number, Speed> } => ({
		memory: 0,
		clients: {},
	}));
	for (const clients of CLIENTS) {
		const runs = await rounds(quick ? 1 : 5, served, ({ port }) =>
			load(port, { requests, clients }),
		);
		for (const [index, loads] of runs.entries()) {
			const result = results[index];
			if (result) result.clients[clients] = speedOf(loads);
		}
	}
	for (const [index, { child, pid }] of served.entries()) {
		const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
		const result = results[index];
		if (result) result.memory = Number(kibibytes) / 1024;
		child.kill("SIGKILL");
	}
	return results;
}
/** Requests a second, and latencies in ms: means of several runs. */
type Speed = { rate: Mean; p50: Mean; p99: Mean };
const speedOf = (loads: Awaited<ReturnType<typeof load>>[]): Speed => ({
	rate: meanOf(loads.map(({ rate }) => rate)),
	p50: meanOf(loads.map(({ p50 }) => p50)),
	p99: meanOf(loads.map(({ p99 }) => p99)),
});
const measured = await speeds();

log("bodies that grow");
async function bodies() {
	const served = await Promise.all([floor, plantStore].map((worker) => serve(worker)));
	const results = [];
	for (const bytes of [100, 1024, 10 * 1024, 100 * 1024, 1024 * 1024]) {
		const runs = await rounds(quick ? 1 : 3, served, ({ port }) =>
			load(port, { requests: 100, clients: 1, plant: ofSize(bytes) }),
		);
		const [floor, ours] = runs.map((loads) => meanOf(loads.map(({ p50 }) => p50)));
		results.push({ bytes, floor, ours });
	}
	for (const { child } of served) child.kill("SIGKILL");
	return results;
}
const sizes = await bodies();

log("stores that grow, in the local KV of wrangler dev");
async function growth() {
	const dev = await startDev(work, TOKEN);
	const port = Number(new URL(dev.url).port);
	const results = [];
	let stored = 0;
	for (const plants of quick ? [1, 100] : [1, 1000]) {
		await load(port, { requests: plants - stored, clients: 16 });
		const { p50 } = await load(port, { requests: 200, clients: 1 });
		stored = plants + 200;
		results.push({ plants, p50 });
	}
	await dev.stop();
	return results;
}
const stores = await growth();

const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, ${run(workerd, "--version").trim()}`;
const results = workers.map(({ name, minified, gzip }, index) => ({
	name,
	minified,
	gzip,
	evaluation: evaluations[index] ?? meanOf([]),
	instructions: costs[index] ?? meanOf([]),
	ratio: ratios[index] ?? meanOf([]),
	...(measured[index] ?? { memory: Number.NaN, clients: {} }),
}));
const kvShare = 1 - (ratios.at(-1)?.mean ?? Number.NaN);

const number = (value: number) => Math.round(value).toLocaleString("en");
const percent = ({ mean, error }: Mean) => `±${((100 * error) / mean).toFixed(1)} %`;
const rows = results.map(({ name, minified, gzip, evaluation, instructions, ratio, ...rest }) => [
	name,
	`${number(instructions.mean)} ${percent(instructions)}`,
	`${ratio.mean.toFixed(3)} ${percent(ratio)}`,
	`${(gzip / 1024).toFixed(1)} KiB (${(minified / 1024).toFixed(1)})`,
	`${evaluation.mean.toFixed(1)} ms ${percent(evaluation)}`,
	...Object.values(rest.clients).map(
		({ rate, p50, p99 }) =>
			`${number(rate.mean)} ${percent(rate)}, ${p50.mean.toFixed(1)} / ${p99.mean.toFixed(1)} ms`,
	),
	`${number(rest.memory)} MiB`,
]);
const header = [
	"worker",
	"instructions a create",
	"× floor",
	"gzip (minified)",
	"evaluation",
	...CLIENTS.map((clients) => `creates a second, p50 / p99, ${clients} clients`),
	"memory",
];
const table = [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
console.log(`${machine}; ± is the standard error of the mean\n\n${table.join("\n")}\n`);
console.log(`Of the floor, KV's stand-in is ${(100 * kvShare).toFixed(0)} %.`);
for (const { bytes, floor, ours } of sizes) {
	console.log(
		`${number(bytes)} B: plant-store ${ours?.mean.toFixed(2)} ms, floor ${floor?.mean.toFixed(2)} ms`,
	);
}
for (const { plants, p50 } of stores) console.log(`${number(plants)} plants: ${p50.toFixed(2)} ms`);
log("done");
if (!quick) {
	const kept = { machine, workers: results, kvShare, sizes, stores };
	writeFileSync(join(here, "results.json"), `${JSON.stringify(kept, null, "\t")}\n`);
	const bars = results.map(({ name, ratio, gzip }) => ({ name, gzip, ratio: ratio.mean }));
	writeFileSync(join(here, "results.svg"), plot(bars, `${machine}; callgrind`));
}
process.exit();
