// `npm run bench` compares a create in this service with one in other Workers, and writes the table in bench/README.md
// and the chart results.svg. With `-- --quick` it tries everything once.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { format } from "prettier";
import { temporaryFolder } from "../harness/folder.ts";
import { load } from "../harness/load.ts";
import { bundle, until } from "../harness/workerd.ts";
import { startCounted, versions } from "./count.ts";
import { plot } from "./plot.ts";

/** The Workers, each with its file. The others are compared with the second, and the first three are in the chart. */
const WORKERS = [
	["hand-written, no checks", "bench/workers/hand-written.ts"],
	["hono + zod/mini, verifyToken", "bench/workers/hono-zod-mini.ts"],
	["plant-store", "src/index.ts"],
	["itty-router + zod", "bench/workers/itty-router-zod.ts"],
	["hono + zod, as documented", "bench/workers/hono-zod.ts"],
] as const;

/** Matches the published part of bench/README.md: everything between the two comments. */
const PUBLISHED = /(?<=<!-- npm run bench writes this -->\n)[^]*(?=<!-- up to here -->\n)/;

/** Exits with 2 and a message that says what to change. */
function refuse(message: string): never {
	console.error(message);
	process.exit(2);
}

/** Whether `--quick` was given. */
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
const README = "bench/README.md";
if (!PUBLISHED.test(readFileSync(README, "utf8"))) {
	refuse(`${README} needs the two comments around the table.`);
}

const folder = temporaryFolder("bench");

const [warmUp, rounds, creates] = quick ? [500, 1, 50] : [2500, 8, 600];
const workers = [];
for (const [index, [name, entry]] of WORKERS.entries()) {
	console.error(`Building ${name}`);
	const file = bundle(entry, join(folder, `${index}`));
	const { port, begin, count } = await startCounted(folder, file);
	const size = `${(gzipSync(readFileSync(file)).length / 1024).toFixed(1)} KiB`;
	const send = (requests: number) =>
		load(port, { requests, clients: 4 }).catch((cause: unknown) => {
			throw new Error(`${name} failed`, { cause });
		});
	const costs: number[] = [];
	workers.push({ name, port, size, send, begin, count, costs });
}

console.error(`Warming up: ${warmUp} creates in each`);
// All at the same time: they do not disturb each other's counts.
await Promise.all(
	workers.map(async ({ port, send, begin }) => {
		await until(() => fetch(`http://127.0.0.1:${port}`));
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
const base = mean(workers[1]?.costs ?? []);
const results = workers.map(({ name, size, costs }) => {
	const cost = mean(costs);
	const variance = mean(costs.map((value) => (value - cost) ** 2)) / (rounds - 1);
	const error = quick ? "" : ` ±${((100 * Math.sqrt(variance)) / cost).toFixed(1)} %`;
	const instructions = `${Math.round(cost).toLocaleString("en")}${error}`;
	return { name, size, instructions, ratio: cost / base };
});
const rows = results.map(
	({ name, size, instructions, ratio }) =>
		`| ${name} | ${instructions} | ${ratio.toFixed(2)} | ${size} |\n`,
);
const header =
	"| worker | instructions per create | × hono + zod/mini | bundle, gzip |\n|-|-|-|-|\n";
const table = await format(`${header}${rows.join("")}\nMeasured with ${measuredWith}.\n`, {
	parser: "markdown",
});
console.log(table);
if (quick) {
	console.log("These figures mean nothing and are not published.");
	process.exit();
}
const title = "Instructions per create, × hono + zod/mini · bundle, gzip";
const text = readFileSync(README, "utf8").replace(PUBLISHED, () => `\n${table}\n`);
publish("bench/results.svg", plot(title, results.slice(0, 3)));
publish(README, text);
console.log(`Written to ${README} and bench/results.svg. README.md quotes these figures, too.`);
process.exit();

/** Writes a file through a rename, so that a reader finds the old file or the new one, never half a file. */
function publish(path: string, content: string) {
	const unfinished = `${path}.unfinished-${process.pid}`;
	process.once("exit", () => rmSync(unfinished, { force: true }));
	writeFileSync(unfinished, content);
	renameSync(unfinished, path);
}
