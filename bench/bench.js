// Compares this service with the floor and with its peers, in the same rounds of one run.
// `npm run bench` keeps the figures in results.json and results.svg; with `-- --quick` it only shows that all works.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { startDev } from "../test/local/dev.js";
import { load, ofSize, TOKEN } from "../test/local/load.js";
import { bundle, INSTANT_KV, startWorkerd, until, workerd } from "../test/local/workerd.js";
import { counter } from "./count.js";
import { plot } from "./plot.js";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const work = mkdtempSync(join(tmpdir(), "plant-store-bench-"));
const quick = process.argv.includes("--quick");
const times = quick ? 1 : 5;

/** What is compared, the floor first. */
const workers = [
	{ name: "floor", entry: "bench/workers/floor.js" },
	{ name: "plant-store", entry: "src/index.ts" },
	{ name: "hono + zod", entry: "bench/workers/hono.js" },
	{ name: "@hono/zod-openapi", entry: "bench/workers/zod-openapi.js" },
	{ name: "chanfana", entry: "bench/workers/chanfana.js" },
	{ name: "itty-router + zod", entry: "bench/workers/itty-router.js" },
];

const log = (text) => process.stderr.write(`${text}\n`);
const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: "utf8" });

/** The median of some values, and half their range as a share of it. */
function summary(values) {
	const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
	return { median, spread: (Math.max(...values) - Math.min(...values)) / 2 / median };
}

/** Measures each worker in turn, then all of them again, and so on. */
async function rounds(count, measure) {
	const values = workers.map(() => []);
	for (let round = 0; round < count; round++) {
		for (const index of workers.keys()) values[index].push(await measure(index));
	}
	return values;
}

/** The production bundle of a worker, and its sizes in bytes. */
function build({ entry }, index) {
	const file = bundle(entry, join(work, `${index}`));
	const code = readFileSync(file);
	writeFileSync(file.replace(/\.js$/, ".mjs"), code);
	return { file, minified: code.length, gzip: gzipSync(code).length };
}

/** Milliseconds that evaluating a bundle takes in a fresh V8, which is Node's. */
function evaluate(file) {
	const module = JSON.stringify(file.replace(/\.js$/, ".mjs"));
	const code = `const start = performance.now(); await import(${module}); console.log(performance.now() - start)`;
	return Number(run("node", "--input-type=module", "--eval", code));
}

process.on("exit", () => rmSync(work, { recursive: true, force: true }));

/** Starts each bundle in workerd, with a KV service that answers at once. */
async function serve(wrap) {
	const served = [];
	for (const { file } of bundles) {
		const { child, port } = await startWorkerd({
			folder: work,
			file,
			token: TOKEN,
			kv: INSTANT_KV,
			wrap,
		});
		await until(() => load(port, { requests: 1, clients: 1 }));
		served.push({ child, port });
	}
	return served;
}

const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}, ${run(workerd, "--version").trim()}`;

log("bundle sizes");
const bundles = workers.map(build);
const results = workers.map(({ name }, index) => {
	const { minified, gzip } = bundles[index];
	return { name, minified, gzip };
});

log("evaluation");
const evaluations = await rounds(times * 3, (index) => evaluate(bundles[index].file));
for (const [index, values] of evaluations.entries()) results[index].evaluation = summary(values);

log(`${counter.unit} a request, by ${counter.how}`);
{
	const served = await serve(counter.wrap);
	const { warm, requests, together } = counter;
	const cost = async ({ child, port }) => {
		const action = () => load(port, { requests, clients: 4 });
		return (await counter.count(child.pid, action)) / requests;
	};
	const warmUp = ({ port }) => load(port, { requests: warm, clients: 4 });
	let costs = workers.map(() => []);
	if (together) {
		await Promise.all(served.map(warmUp));
		for (let round = 0; round < times; round++) {
			const values = await Promise.all(served.map(cost));
			costs = costs.map((list, index) => [...list, values[index]]);
		}
	} else {
		for (const worker of served) await warmUp(worker);
		costs = await rounds(times, (index) => cost(served[index]));
	}
	// The mean, not the median: a collection of garbage falls into few rounds, and is paid for by all.
	for (const [index, values] of costs.entries()) {
		const mean = values.reduce((sum, value) => sum + value) / values.length;
		results[index].cost = { mean, spread: summary(values).spread };
	}
	for (const { child } of served) child.kill("SIGKILL");
}

log("throughput, latency, memory");
const sizes = [];
{
	const served = await serve([]);
	const requests = quick ? 500 : 5000;
	for (const { port } of served) await load(port, { requests, clients: 8 });
	for (const clients of [1, 8, 64]) {
		const runs = await rounds(times, (index) => load(served[index].port, { requests, clients }));
		for (const [index, values] of runs.entries()) {
			results[index][`clients${clients}`] = Object.fromEntries(
				["rate", "p50", "p99"].map((key) => [key, summary(values.map((value) => value[key]))]),
			);
		}
	}
	for (const [index, { child }] of served.entries()) {
		const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1];
		results[index].memory = Number(rss) / 1024;
	}

	log("bodies that grow");
	for (const size of [100, 1024, 10 * 1024, 100 * 1024, 1024 * 1024]) {
		const runs = await rounds(times, (index) =>
			index > 1
				? undefined
				: load(served[index].port, { requests: 100, clients: 1, plant: ofSize(size) }),
		);
		const [floor, ours] = runs.map((values) => summary(values.map((value) => value?.p50)));
		sizes.push({ size, floor, ours });
	}
	for (const { child } of served) child.kill("SIGKILL");
}

log("stores that grow, in the local KV of wrangler dev");
const stores = [];
{
	const dev = await startDev(work, TOKEN);
	const port = Number(new URL(dev.url).port);
	let stored = 1;
	for (const plants of quick ? [1, 100] : [1, 100, 1000, 10_000, 100_000]) {
		if (plants > stored) await load(port, { requests: plants - stored, clients: 16 });
		const runs = [];
		for (let time = 0; time < times; time++)
			runs.push(await load(port, { requests: 50, clients: 1 }));
		stored = plants + 50 * times;
		stores.push({ plants, p50: summary(runs.map(({ p50 }) => p50)) });
	}
	await dev.stop();
}

const percent = ({ spread }) => `±${(spread * 100).toFixed(0)} %`;
const number = (value) => Math.round(value).toLocaleString("en");
const [floor] = results;
const header = [
	"",
	`${counter.unit} a request`,
	"× floor",
	"gzip (minified)",
	"evaluation",
	"requests a second¹",
	"p50 / p99 with 1, 8, 64 clients",
	"memory",
];
const rows = results.map((worker) => [
	worker.name,
	`${number(worker.cost.mean)} ${percent(worker.cost)}`,
	(worker.cost.mean / floor.cost.mean).toFixed(2),
	`${(worker.gzip / 1024).toFixed(1)} KiB (${(worker.minified / 1024).toFixed(1)})`,
	`${worker.evaluation.median.toFixed(1)} ms ${percent(worker.evaluation)}`,
	`${number(worker.clients8.rate.median)} ${percent(worker.clients8.rate)}`,
	[worker.clients1, worker.clients8, worker.clients64]
		.map(({ p50, p99 }) => `${p50.median.toFixed(1)} / ${p99.median.toFixed(1)}`)
		.join(", "),
	`${number(worker.memory)} MiB`,
]);
const lines = [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
const ms = ({ median, spread }) => `${median.toFixed(2)} ms ${percent({ spread })}`;
console.log(
	`${machine}; ${counter.unit} by ${counter.how}\n\n${lines.join("\n")}\n\n¹ 8 clients\n`,
);
for (const { size, floor, ours } of sizes) {
	console.log(`${number(size)} B: plant-store ${ms(ours)}, floor ${ms(floor)}`);
}
for (const { plants, p50 } of stores) console.log(`${number(plants)} plants: ${ms(p50)}`);
if (!quick) {
	const kept = { machine, unit: counter.unit, how: counter.how, workers: results, sizes, stores };
	writeFileSync(join(here, "results.json"), `${JSON.stringify(kept, null, "\t")}\n`);
	writeFileSync(join(here, "results.svg"), plot(kept));
}
process.exit();
