// Compares this service with the floor and with its peers, in alternating rounds of one run.
// `npm run bench` keeps the figures in results.json and results.svg; with `-- --quick` it only shows that all works.
import { execFileSync, spawn } from "node:child_process";
import {
	copyFileSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { counter } from "./count.js";
import { load, TOKEN } from "./load.js";
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
/** The binary itself: the command of that name is a Node script in front of it. */
const workerd = run("node", "-p", "require('workerd').default").trim();

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

/** The production bundle, built as for a deployment. */
function build({ entry }, index) {
	const outdir = join(work, `${index}`);
	run("wrangler", "deploy", entry, "--dry-run", "--outdir", outdir);
	const file = join(
		outdir,
		readdirSync(outdir).find((name) => name.endsWith(".js")),
	);
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

const children = [];
process.on("exit", () => {
	for (const child of children) child.kill();
	rmSync(work, { recursive: true, force: true });
});

/** Starts a process and waits until it answers a create on its port. */
async function serve(port, command, args, options) {
	const child = spawn(command, args, { cwd: work, stdio: "ignore", ...options });
	children.push(child);
	for (let tries = 0; tries < 300; tries++) {
		const up = load(port, { requests: 1, clients: 1 });
		if (await up.then(Boolean, () => false)) return child;
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	throw new Error(`${command} does not answer on port ${port}`);
}

/** Starts workerd with a bundle, and with a KV service that answers at once. */
function serveBundle({ file }, port, wrap) {
	const config = join(work, `${port}.capnp`);
	writeFileSync(
		config,
		`using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "kv", worker = .kv)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "${relative(work, file)}")],
  compatibilityDate = "2026-11-02",
  bindings = [(name = "PLANTS", kvNamespace = "kv"), (name = "ACCESS_TOKEN", text = "${TOKEN}")],
);
const kv :Workerd.Worker = (
  modules = [(name = "kv.js", esModule = embed "kv.js")],
  compatibilityDate = "2026-11-02",
);
`,
	);
	const [command, ...args] = [...wrap, workerd, "serve", config];
	return serve(port, command, args);
}

copyFileSync(join(here, "workers/kv.js"), join(work, "kv.js"));
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
	const port = 9100;
	const processes = [];
	for (const [index, bundle] of bundles.entries()) {
		processes.push(await serveBundle(bundle, port + index, counter.wrap));
	}
	const { warm, requests } = counter;
	for (const index of workers.keys()) await load(port + index, { requests: warm, clients: 4 });
	const costs = await rounds(times, async (index) => {
		const action = () => load(port + index, { requests, clients: 4 });
		return (await counter.count(processes[index].pid, action)) / requests;
	});
	// The mean, not the median: a collection of garbage falls into few rounds, and is paid for by all.
	for (const [index, values] of costs.entries()) {
		const mean = values.reduce((sum, value) => sum + value) / values.length;
		results[index].cost = { mean, spread: summary(values).spread };
	}
	for (const child of processes) child.kill("SIGKILL");
}

log("throughput, latency, memory");
const sizes = [];
{
	const port = 9200;
	const processes = [];
	for (const [index, bundle] of bundles.entries()) {
		processes.push(await serveBundle(bundle, port + index, []));
	}
	const requests = quick ? 500 : 5000;
	for (const index of workers.keys()) await load(port + index, { requests, clients: 8 });
	for (const clients of [1, 8, 64]) {
		const runs = await rounds(times, (index) => load(port + index, { requests, clients }));
		for (const [index, values] of runs.entries()) {
			results[index][`clients${clients}`] = Object.fromEntries(
				["rate", "p50", "p99"].map((key) => [key, summary(values.map((value) => value[key]))]),
			);
		}
	}
	for (const [index, { pid }] of processes.entries()) {
		const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
		results[index].memory = Number(rss) / 1024;
	}

	log("bodies that grow");
	for (const size of [100, 1024, 10 * 1024, 100 * 1024, 1024 * 1024]) {
		const runs = await rounds(times, (index) =>
			index > 1 ? undefined : load(port + index, { requests: 100, clients: 1, size }),
		);
		const [floor, ours] = runs.map((values) => summary(values.map((value) => value?.p50)));
		sizes.push({ size, floor, ours });
	}
	for (const child of processes) child.kill("SIGKILL");
}

log("stores that grow, in the local KV of wrangler dev");
const stores = [];
{
	const port = 9300;
	const dev = await serve(
		port,
		"wrangler",
		["dev", "--port", port, "--ip", "127.0.0.1", "--persist-to", work, "--log-level", "none"],
		{
			cwd: root,
			env: { ...process.env, ACCESS_TOKEN: TOKEN, CLOUDFLARE_CF_FETCH_ENABLED: "false" },
		},
	);
	let stored = 1;
	for (const plants of quick ? [1, 100] : [1, 100, 1000, 10_000, 100_000]) {
		if (plants > stored) await load(port, { requests: plants - stored, clients: 16 });
		const runs = [];
		for (let time = 0; time < times; time++)
			runs.push(await load(port, { requests: 50, clients: 1 }));
		stored = plants + 50 * times;
		stores.push({ plants, p50: summary(runs.map(({ p50 }) => p50)) });
	}
	dev.kill();
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
