// `npm run restore -- <file> --remote` writes those plants of a backup that KV lacks. `--id=5` writes
// just this plant, and `--replace` each plant in the file, unless KV has the same value.
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import * as kv from "./kv.ts";

const usage =
	"Usage: npm run restore -- <file> (--remote | --local) [--id=<id>]... [--replace] [--env=<name>]";
const [file = "", ...args] = process.argv.slice(2);
kv.requireTarget(args, usage);
const ids = args.flatMap((arg) => /^--id=(.*)/.exec(arg)?.[1] ?? []);
const replaces = ids.length > 0 || args.includes("--replace");
const options = args.filter((arg) => !arg.startsWith("--id=") && arg !== "--replace");

const isInt64 = (key: string) => `${BigInt.asIntN(64, BigInt(key))}` === key;
const Plant = z.object({ key: z.string().check(z.refine(isInt64)), value: z.string() });
type Plant = z.output<typeof Plant>;

/** Yields the lines of a text. (Node's readline would also end one at U+2028.) */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
	let rest = "";
	for await (const chunk of text) {
		const lines = `${rest}${chunk}`.split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
	if (rest) yield rest;
}

/** Returns the plants in the file, of which each has a line. Throws if it is not a whole backup. */
async function readBackup(): Promise<Plant[]> {
	const handle = await open(file);
	const plants: Plant[] = [];
	let others = "";
	try {
		for await (const line of linesOf(handle.createReadStream({ encoding: "utf8" }))) {
			if (line.startsWith("{")) plants.push(Plant.parse(JSON.parse(line)));
			else others += line;
		}
		if (plants.length > 0 && /^\[,*\]$/.test(others)) return plants;
	} catch {}
	throw new Error(`${file} is not a whole backup, or has a key that is no id.`);
}

/** Returns the plants that may have to be written. Throws if an id is not in the file. */
async function choosePlants(): Promise<Plant[]> {
	const plants = await readBackup();
	const unknown = ids.find((id) => !plants.some(({ key }) => key === id));
	if (unknown !== undefined) throw new Error(`${file} has no plant ${unknown}.`);
	if (ids.length > 0) return plants.filter(({ key }) => ids.includes(key));
	if (replaces) return plants;
	const present = new Set(await kv.listKeys(options));
	return plants.filter(({ key }) => !present.has(key));
}

/** Writes those of these plants that KV lacks or, to replace it, has otherwise. Returns their number. */
async function restoreBatch(folder: string, plants: Plant[]): Promise<number> {
	// Asked just before, because a client may have created one of them meanwhile.
	const keys = plants.map(({ key }) => key);
	const values = await kv.getValues(options, folder, keys);
	const wanted = plants.filter(({ value }, index) => {
		return replaces ? values[index] !== value : values[index] === null;
	});
	if (wanted.length === 0) return 0;
	const part = join(folder, "part.json");
	writeFileSync(part, JSON.stringify(wanted));
	await kv.runKv(options, "bulk", "put", part);
	return wanted.length;
}

async function restore() {
	const plants = await choosePlants();
	const folder = kv.makeWorkFolder(tmpdir());
	let written = 0;
	process.on("exit", (code) => {
		console.log(`Plants written: ${written}.`);
		if (code !== 0 && written > 0) console.log("Run this again, to write the others.");
	});
	for (const batch of kv.batchesOf(plants)) {
		const count = await kv.tryTwice(() => restoreBatch(folder, batch));
		written += count;
	}
}

await restore().catch((exception: Error) => {
	console.error(`Stopped: ${exception.message}`);
	process.exitCode = 1;
});
