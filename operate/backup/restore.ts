// `npm run restore -- FILE` writes plants, one a line as `npm run export` writes them, into the KV of `npm run dev`, or
// with `--remote [--env NAME] --into WORKER` into a deployed one. It writes nothing while a line is wrong. Plants with
// the same ids are replaced, all others stay; it can be repeated.
import { open as openFile } from "node:fs/promises";
import { parseExact } from "../../src/json.ts";
import { kvKey, kvValue, NewPlant } from "../../src/plant.ts";
import { messageOf } from "../options.ts";
import { commandLine } from "./command-line.ts";
import type { Entry } from "./namespace.ts";
import { add, begin, run } from "./progress.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * What KV is to hold for a line.
 *
 * @throws Error that says what is wrong with it, and quotes nothing of it
 */
function entryIn(line: Buffer): Entry {
	let json: unknown;
	try {
		json = parseExact(utf8.decode(line));
	} catch (error) {
		throw new Error(error instanceof SyntaxError ? "is not JSON" : "is not UTF-8");
	}
	const { data, error } = NewPlant.safeParse(json);
	if (error) {
		const problems = error.issues.map(
			({ path: [field = "the line"], message }) => `${String(field)}: ${message}`,
		);
		throw new Error(problems.join("; "));
	}
	const { id, ...plant } = data;
	return { key: kvKey(id), value: kvValue(id, plant) };
}

/**
 * What KV is to hold for all lines of a file.
 *
 * @throws Error that names the lines that are wrong
 */
async function entriesIn(file: string): Promise<Entry[]> {
	const entries: Entry[] = [];
	const problems: string[] = [];
	const lineOf = new Map<string, number>();
	const handle = await openFile(file);
	let number = 0;
	// In Latin-1, which keeps each byte: whether a line is UTF-8 is checked on its own.
	for await (const line of handle.readLines({ encoding: "latin1" })) {
		number++;
		try {
			const entry = entryIn(Buffer.from(line, "latin1"));
			const earlier = lineOf.get(entry.key);
			if (earlier) throw new Error(`id ${entry.key} is in line ${earlier}, too`);
			lineOf.set(entry.key, number);
			entries.push(entry);
		} catch (error) {
			problems.push(`Line ${number}: ${messageOf(error)}`);
		}
	}
	if (number === 0) problems.push("the file is empty.");
	const more = problems.splice(20).length;
	if (more) problems.push(`… and ${more} more lines`);
	if (problems.length) throw new Error(problems.join("\n"));
	return entries;
}

const { file, kv, open } = commandLine("restore");
let [written, total] = [0, 0];
await run(
	async () => {
		const entries = await entriesIn(file);
		const namespace = await open();
		total = entries.length;
		begin("Writing plants", total);
		for await (const count of namespace.write(entries)) {
			written += count;
			add(count);
		}
		await namespace.close();
		return `Restored ${total} plants into ${kv}. Plants in KV that are not in the file stay as they are.`;
	},
	(reason) =>
		total
			? `Not fully restored: ${reason}\n${written} of ${total} plants are known to be written. Run it again.`
			: `Not restored: ${reason}\nNothing was written.`,
);
