// `npm run restore -- <file> --remote` writes those plants of a backup that KV lacks. `--id=5` writes
// just this plant, and `--replace` each plant in the file, unless KV has the same value.
import { createReadStream, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import * as kv from "./kv.ts";

const {
	file,
	target,
	id: ids = [],
	replace: replaces = ids.length > 0,
} = kv.readOptions(
	"Usage: npm run restore -- <file> (--remote | --local) [--id=<id>]... [--replace] [--env=<name>]",
);

/** A plant in a backup: its key in KV, and its value. */
const Entry = z.object({ key: z.string(), value: z.string() });
type Entry = z.output<typeof Entry>;

/** Yields the lines of the file. (Node's readline would also end one at U+2028.) */
async function* readLines(): AsyncGenerator<string> {
	const utf8 = new TextDecoder("utf-8", { fatal: true });
	let rest = "";
	for await (const bytes of createReadStream(file)) {
		const text = rest + utf8.decode(bytes, { stream: true });
		const lines = text.split(/\r?\n/);
		rest = lines.pop() ?? "";
		yield* lines;
	}
	if (rest) yield rest;
}

/** Throws, and says in which line of the file. No plant may be in the reason: it is shown. */
function refuse(number: number, reason: string): never {
	throw new Error(`${file}, line ${number}: ${reason}`);
}

/** Returns the plant in a line of the file. */
function parseEntry(line: string, number: number): Entry {
	let entry: Entry;
	try {
		entry = Entry.parse(JSON.parse(line));
	} catch {
		return refuse(number, "a plant is missing here, or is not whole.");
	}
	if (kv.isId(entry.key)) return entry;
	const key = JSON.stringify(entry.key);
	return refuse(number, `the key ${key} is no id. Remove this line, and one with a comma.`);
}

/** Returns the plants in the file. Throws if it is not a whole backup. */
async function readBackup(): Promise<Entry[]> {
	const entries: Entry[] = [];
	let number = 0;
	let last = "";
	for await (const line of readLines()) {
		number += 1;
		last = line;
		// Between a line with [ and one with ], plants and commas take turns.
		const separators = number === 1 ? ["["] : [",", "]"];
		if (number % 2 === 0) entries.push(parseEntry(line, number));
		else if (!separators.includes(line))
			refuse(number, `only ${separators.join(" or ")} may be here.`);
	}
	if (last !== "]") refuse(number, "the end is missing.");
	return entries;
}

/** Returns the plants that may have to be written. Throws if an id is not in the file. */
async function chooseEntries(): Promise<Entry[]> {
	const entries = await readBackup();
	const unknown = ids.find((id) => !entries.some(({ key }) => key === id));
	if (unknown !== undefined) throw new Error(`${file} has no plant ${unknown}.`);
	if (ids.length > 0) return entries.filter(({ key }) => ids.includes(key));
	if (replaces) return entries;
	const present = new Set(await kv.listKeys(target));
	return entries.filter(({ key }) => !present.has(key));
}

/** Writes those of these plants that are still wanted. Returns their number. */
async function restoreBatch(folder: string, entries: Entry[]): Promise<number> {
	// Asked just before, because a client may have created one of them meanwhile.
	const keys = entries.map(({ key }) => key);
	const values = await kv.getValues(target, folder, keys);
	const wanted = entries.filter(({ value }, index) => {
		return replaces ? values[index] !== value : values[index] === null;
	});
	if (wanted.length === 0) return 0;
	const part = join(folder, "part.json");
	writeFileSync(part, JSON.stringify(wanted));
	await kv.runKv(target, "bulk", "put", part);
	return wanted.length;
}

async function restore() {
	const folder = kv.makeWorkFolder(tmpdir());
	const entries = await chooseEntries();
	let written = 0;
	process.on("exit", (code) => {
		console.log(`Plants written: ${written}.`);
		if (code !== 0 && written > 0) console.log("Run this again, to write the others.");
	});
	for (const batch of kv.batchesOf(entries)) {
		const count = await kv.tryTwice(() => restoreBatch(folder, batch));
		written += count;
	}
}

await restore().catch((exception: Error) => {
	console.error(`Stopped: ${exception.message}`);
	process.exitCode = 1;
});
