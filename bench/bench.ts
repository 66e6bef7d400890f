// `npm run bench` compares a create with one in other Workers: a table and a chart for README.md.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { bundle, workerd } from "../test/support/workerd.ts";
import { startCounted } from "./count.ts";
import "../test/support/setup.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const WARM_UP_CREATES = 2500;
const ROUNDS = 8;
const CREATES_PER_ROUND = 600;

const valgrind = versionOf("valgrind");
if (!valgrind) {
	console.error("Run this on Linux with valgrind. To install it: apt-get install valgrind");
	process.exit(1);
}
// Without these listeners, an interrupted benchmark would leave files and workerd behind.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
	process.once(signal, () => process.exit(1));
}
// All at once: they do not disturb each other's counts.
const results = await Promise.all([
	measure("hand-written", "bench/workers/hand-written.ts"),
	measure("hono-zod-mini", "bench/workers/hono-zod-mini.ts"),
	measure("plant-store", "src/index.ts"),
]);
const [, base] = results;
print(results, base);
process.exit();

/** Returns the version of a program; undefined if it is not installed. */
function versionOf(program: string): string | undefined {
	const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
	return stdout?.trim();
}

type Result = Awaited<ReturnType<typeof measure>>;

/** Measures the instructions of a create, with their standard error, and the size of the bundle. */
async function measure(name: string, entry: string) {
	const file = await bundle(entry);
	const { url, begin, count } = await startCounted(file, TOKEN);
	console.error(`${name}: warming up`);
	await create(name, url, WARM_UP_CREATES);
	await begin();
	const costs: number[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		console.error(`${name}: round ${round} of ${ROUNDS}`);
		await create(name, url, CREATES_PER_ROUND);
		costs.push((await count()) / CREATES_PER_ROUND);
	}
	const cost = mean(costs);
	const variance = mean(costs.map((value) => (value - cost) ** 2));
	const error = Math.sqrt(variance / (ROUNDS - 1));
	return { name, cost, error, bytes: gzipSync(readFileSync(file)).length };
}

/**
 * Creates plants, one after the other, in a Worker at a base URL.
 *
 * @throws Error if an answer is not 200 with exactly the Plant
 */
async function create(name: string, url: string, creates: number) {
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

function mean(values: number[]): number {
	return values.reduce((sum, value) => sum + value) / values.length;
}

/** Prints the results, and their ratios to one of them, as a table and as a chart. */
function print(results: Result[], base: Result) {
	console.log(`| worker | instructions | × ${base.name} | bundle |`);
	console.log("| - | - | - | - |");
	for (const { name, cost, error, bytes } of results) {
		const instructions = Math.round(cost).toLocaleString("en");
		const percent = ((100 * error) / cost).toFixed(1);
		const ratio = (cost / base.cost).toFixed(2);
		const size = (bytes / 1024).toFixed(1);
		console.log(`| ${name} | ${instructions} ±${percent} % | ${ratio} | ${size} KiB |`);
	}
	const names = results.map(({ name }) => `"${name}"`);
	const ratios = results.map(({ cost }) => Math.round((100 * cost) / base.cost) / 100);
	console.log(`
Measured with ${versionOf(workerd)} and ${valgrind}.

\`\`\`mermaid
---
config: { xyChart: { height: 240, showDataLabel: true } }
---
xychart-beta horizontal
  title "Instructions per create, × ${base.name}"
  x-axis [${names.join(", ")}]
  y-axis 0 --> ${Math.max(...ratios)}
  bar [${ratios.join(", ")}]
\`\`\``);
}
