// `npm run restore -- <file> --remote` writes the plants of a backup that are missing in KV. With
// `--id=5`, it writes only plant 5, and with `--replace` all plants. Both also replace what KV has.
import { isUtf8 } from "node:buffer";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import * as kv from "./kv.ts";
import { exitWithUsage, kvOptions, pickKv, readOptions } from "./options.ts";

const usage =
	"Usage: npm run restore -- <file> (--remote | --local) [--id=<id>]... [--replace] [--env=<name>]";
const { values, positionals } = readOptions(usage, {
	options: { ...kvOptions, id: { type: "string", multiple: true }, replace: { type: "boolean" } },
	allowPositionals: true,
});
const { target } = pickKv(usage, values);
const { id: ids = [], replace = ids.length > 0 } = values;
const [file = "", ...others] = positionals;
if (file === "" || others.length > 0) exitWithUsage(usage);

/** A plant in a backup: its key in KV, and its value. */
const Entry = z.object({ key: z.string(), value: z.string() });
type Entry = z.output<typeof Entry>;

/** Throws an Error that names the file and the line. It is shown, so no plant may be in the reason. */
function refuse(number: number, reason: string): never {
	throw new Error(`${file}, line ${number}: ${reason}`);
}

/** Returns the plant in a line of the file. Throws if there is none. */
function parseEntry(line: string, number: number): Entry {
	let entry: Entry;
	try {
		entry = Entry.parse(JSON.parse(line));
	} catch {
		return refuse(number, "not a whole plant. Each plant must have one line.");
	}
	if (kv.isId(entry.key)) return entry;
	return refuse(number, `the key ${JSON.stringify(entry.key)} is not an id. Remove this line.`);
}

/** Returns the plants in the file. Throws if it is not a whole backup. */
async function readBackup(): Promise<Entry[]> {
	const entries: Entry[] = [];
	// Leaves out a byte order mark.
	const utf8 = new TextDecoder();
	let number = 0;
	let last = "";
	const input = await open(file);
	// As Latin-1, because in UTF-8 Node would also end a line at U+2028.
	for await (const latin1 of input.readLines({ encoding: "latin1" })) {
		number += 1;
		const bytes = Buffer.from(latin1, "latin1");
		if (!isUtf8(bytes)) refuse(number, "not text in UTF-8.");
		last = utf8.decode(bytes);
		const isFirst = number === 1;
		if (isFirst !== (last === "[")) refuse(number, "a backup begins with [, alone in its line.");
		if (!["[", ",", "]"].includes(last)) entries.push(parseEntry(last, number));
	}
	if (last !== "]") refuse(number + 1, "the end is missing. Take another backup.");
	return entries;
}

/** Returns the plants that may have to be written. Throws if an id is not in the file. */
async function chooseEntries(): Promise<Entry[]> {
	const entries = await readBackup();
	const unknown = ids.find((id) => !entries.some(({ key }) => key === id));
	if (unknown !== undefined) throw new Error(`${file} has no plant ${unknown}.`);
	if (ids.length > 0) return entries.filter(({ key }) => ids.includes(key));
	if (replace) return entries;
	const present = new Set(await kv.listKeys(target));
	return entries.filter(({ key }) => !present.has(key));
}

/** Writes those of these plants that are still needed. Returns their number. */
async function restoreBatch(folder: string, entries: Entry[]): Promise<number> {
	// Asked just before, because a client may have created one of them meanwhile.
	const keys = entries.map(({ key }) => key);
	const values = await kv.getValues(target, folder, keys);
	const wanted = entries.filter(({ value }, index) => {
		return replace ? values[index] !== value : values[index] === null;
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
		if (code === 0 || written > 0) console.log(`Plants written: ${written}.`);
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
