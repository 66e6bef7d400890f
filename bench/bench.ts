// `npm run bench` compares a create in this service with one in other Workers, and writes the table in bench/README.md
// and the chart results.svg.
import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { format } from "prettier";
import { temporaryFolder } from "./folder.ts";
import { bundle, workerd } from "../test/support/workerd.ts";
import { startCounted } from "./count.ts";
import { plot } from "./plot.ts";

/** A Worker with an operation `POST /plants`. */
interface Worker {
	name: string;
	entry: string;
	/** Whether the others are compared with it. */
	isBase?: true;
}

const WORKERS: Worker[] = [
	{ name: "hand-written", entry: "bench/workers/hand-written.ts" },
	{ name: "hono-zod-mini", entry: "bench/workers/hono-zod-mini.ts", isBase: true },
	{ name: "plant-store", entry: "src/index.ts" },
];

const TOKEN = "0123456789abcdef0123456789abcdef";
const WARM_UP_CREATES = 2500;
const ROUNDS = 8;
const CREATES_PER_ROUND = 600;

const README = "bench/README.md";
const CHART = "bench/results.svg";
/** Matches the published part of the README: everything between the two comments. */
const PUBLISHED = /(?<=<!-- npm run bench writes this -->\n)[^]*(?=<!-- up to here -->\n)/;

const valgrind = versionOf("valgrind") ?? refuse("Install valgrind: apt-get install valgrind");
if (!PUBLISHED.test(readFileSync(README, "utf8"))) {
	refuse(`${README} needs the two comments around the table.`);
}
const folder = temporaryFolder();
// All at the same time: they do not disturb each other's counts.
const results = await Promise.all(WORKERS.map(measure));
await publish(results);
console.log(`Written to ${README} and ${CHART}. README.md quotes these figures, too.`);
process.exit();

/** Returns what a program says about its version; undefined if it is not installed. */
function versionOf(program: string): string | undefined {
	const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
	return stdout?.trim();
}

/** Exits with 2 and a message that says what to change. */
function refuse(message: string): never {
	console.error(message);
	process.exit(2);
}

/** Bundles and starts a Worker, and measures what a create costs: in instructions, with the standard error. */
async function measure(worker: Worker) {
	const file = await bundle(worker.entry, join(folder, worker.name));
	const { url, begin, count } = await startCounted(file, TOKEN);
	console.log(`${worker.name}: warming up`);
	await create(worker, url, WARM_UP_CREATES);
	await begin();
	const costs: number[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		console.log(`${worker.name}: round ${round} of ${ROUNDS}`);
		await create(worker, url, CREATES_PER_ROUND);
		costs.push((await count()) / CREATES_PER_ROUND);
	}
	const cost = mean(costs);
	const variance = mean(costs.map((value) => (value - cost) ** 2));
	const error = Math.sqrt(variance / (ROUNDS - 1));
	return { ...worker, cost, error, bytes: gzipSync(readFileSync(file)).length };
}

/**
 * Creates plants, one after the other, in a Worker at a base URL.
 *
 * @throws Error if an answer is not 200 with exactly the Plant
 */
async function create({ name }: Worker, url: string, creates: number) {
	const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
	const plant = { name: "Monstera deliciosa", tag: "tropical" };
	for (let id = 1; id <= creates; id++) {
		const body = JSON.stringify({ id, ...plant });
		const answer = await fetch(`${url}/plants`, { method: "POST", headers, body });
		const text = await answer.text();
		if (answer.status !== 200 || text !== JSON.stringify(plant)) {
			throw new Error(`${name} answers ${body} with ${answer.status} ${text}`);
		}
	}
}

/** Returns the arithmetic mean. */
function mean(values: number[]): number {
	return values.reduce((sum, value) => sum + value) / values.length;
}

/** Prints the results as a table, and writes the table and the chart: both whole, or none. */
async function publish(results: Awaited<ReturnType<typeof measure>>[]) {
	const base = results.find(({ isBase }) => isBase) ?? refuse("No Worker is the base.");
	let rows = `| worker | instructions | × ${base.name} | bundle |\n|-|-|-|-|\n`;
	const bars = [];
	for (const { name, cost, error, bytes } of results) {
		const instructions = Math.round(cost).toLocaleString("en");
		const percent = ((100 * error) / cost).toFixed(1);
		const ratio = cost / base.cost;
		const size = `${(bytes / 1024).toFixed(1)} KiB`;
		rows += `| ${name} | ${instructions} ±${percent} % | ${ratio.toFixed(2)} | ${size} |\n`;
		bars.push({ name, ratio, size });
	}
	const text = `${rows}\nMeasured with ${versionOf(workerd)} and ${valgrind.replace("-", " ")}.\n`;
	const table = await format(text, { parser: "markdown" });
	console.log(table);
	const chart = plot(`Instructions per create, × ${base.name} · bundle`, bars);
	const readme = readFileSync(README, "utf8").replace(PUBLISHED, () => `\n${table}\n`);
	// First into new files: if the disk is full, the old ones stay as they are.
	const newReadme = join(folder, "README.md");
	const newChart = join(folder, "results.svg");
	writeFileSync(newReadme, readme);
	writeFileSync(newChart, chart);
	renameSync(newReadme, README);
	renameSync(newChart, CHART);
}
