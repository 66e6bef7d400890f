// `npm run bench` compares a create in this service with one in other Workers, and publishes what comes out: the table
// in README.md and the picture results.svg. With `-- --quick` it only shows that everything works.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { format } from "prettier";
import { load } from "../harness/load.ts";
import { bundle, until } from "../harness/workerd.ts";
import { startCounted, versions } from "./count.ts";
import { plot } from "./plot.ts";

/** The Workers, each with its file; the first is what the others are compared with. */
const WORKERS = [
	["floor", "bench/workers/floor.ts"],
	["plant-store", "src/index.ts"],
	["hono + zod/mini, verifyToken", "bench/workers/hono-zod-mini.ts"],
	["itty-router + zod", "bench/workers/itty-router-zod.ts"],
	["hono + zod, as documented", "bench/workers/hono-zod.ts"],
] as const;

/** Those in the picture. */
const PICTURE = ["floor", "hono + zod/mini, verifyToken", "plant-store"];

/** Matches what this publishes in README.md: all between the two comments. */
const PUBLISHED = /(?<=<!-- npm run bench writes this -->\n)[^]*(?=<!-- up to here -->\n)/;

/** Ends with a status of 2 and a message that says what to change. */
function refuse(message: string): never {
	console.error(message);
	process.exit(2);
}

/** Whether this is only to show that everything works. */
function isQuick(): boolean {
	const usage = "Usage: npm run bench [-- --quick]";
	if (process.env["npm_config_quick"]) refuse(`npm kept --quick for itself. ${usage}`);
	try {
		return parseArgs({ options: { quick: { type: "boolean" } } }).values.quick ?? false;
	} catch (error) {
		// Its first sentence: the rest is about arguments that begin with a dash.
		return refuse(`${error instanceof Error ? error.message.split(". ")[0] : error}. ${usage}`);
	}
}

const quick = isQuick();
const measuredWith = versions() ?? refuse("Install valgrind: apt-get install valgrind");
const readme = join(import.meta.dirname, "README.md");
const text = readFileSync(readme, "utf8");
if (!PUBLISHED.test(text))
	refuse(`${readme} must have the two comments that the table is between.`);

const folder = mkdtempSync(join(tmpdir(), "plant-store-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
// Through "exit", which ends workerd, too.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
	process.once(signal, () => process.exit(1));
}

const [warmUp, rounds, creates] = quick ? [500, 1, 50] : [2500, 8, 600];
const workers = [];
for (const [index, [name, entry]] of WORKERS.entries()) {
	console.error(`Building ${name}`);
	const file = bundle(entry, join(folder, `${index}`));
	const { port, begin, count } = await startCounted(folder, file);
	const size = `${(gzipSync(readFileSync(file)).length / 1024).toFixed(1)} KiB`;
	const send = (requests: number) => load(port, { requests, clients: 4 });
	workers.push({ name, size, send, begin, count, costs: [] as number[] });
}

console.error(`Warming up: ${warmUp} creates in each`);
// All at the same time: they do not disturb each other's counts.
await Promise.all(
	workers.map(async ({ send, begin }) => {
		await until(() => send(1));
		await send(warmUp);
		begin();
	}),
);
for (let round = 1; round <= rounds; round++) {
	console.error(`Round ${round} of ${rounds}: ${creates} creates in each`);
	await Promise.all(
		workers.map(async ({ send, count, costs }) => {
			costs.push((await count(() => send(creates))) / creates);
		}),
	);
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const results = workers.map(({ name, size, costs }) => {
	const cost = mean(costs);
	const variance = mean(costs.map((value) => (value - cost) ** 2)) / (rounds - 1);
	return { name, size, cost, error: Math.sqrt(variance) / cost };
});
const floor = results[0]?.cost ?? Number.NaN;
const ratios = results.map((result) => ({ ...result, ratio: result.cost / floor }));

const rows = ratios.map(({ name, size, cost, error, ratio }) => {
	const margin = quick ? "" : ` ±${(100 * error).toFixed(1)} %`;
	const instructions = `${Math.round(cost).toLocaleString("en")}${margin}`;
	return `| ${name} | ${instructions} | ${ratio.toFixed(2)} | ${size} |\n`;
});
const header = "| worker | instructions a create | × floor | bundle, gzip |\n| - | - | - | - |\n";
const table = await format(`${header}${rows.join("")}\nMeasured with ${measuredWith}.\n`, {
	parser: "markdown",
});
console.log(table);
if (quick) {
	console.log(
		"These figures mean nothing, and are not published: --quick only shows that everything works.",
	);
	process.exit();
}

const picture = plot(
	"Instructions a create, × a hand-written Worker that checks nothing · bundle, gzip",
	PICTURE.flatMap((shown) => ratios.filter(({ name }) => name === shown)),
);
publish([
	[join(import.meta.dirname, "results.svg"), picture],
	[readme, text.replace(PUBLISHED, () => `\n${table}\n`)],
]);
process.exit();

/** Writes files. Each is the old one or the new one at any time, and never half of it. */
function publish(files: [path: string, content: string][]) {
	const renames = files.map(([path, content]) => {
		const unfinished = `${path}.unfinished-${process.pid}`;
		process.once("exit", () => rmSync(unfinished, { force: true }));
		writeFileSync(unfinished, content);
		return () => renameSync(unfinished, path);
	});
	for (const rename of renames) rename();
}
