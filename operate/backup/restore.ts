// `npm run restore -- FILE` writes plants, one a line as `npm run export` writes them, into the KV of `npm run dev`, or
// with `--remote [--env NAME] --into WORKER` into a deployed one. It writes nothing while a line is wrong. Plants with
// the same ids are replaced, all others stay; it can be repeated.
import { open as openFile } from "node:fs/promises";
import { parseExact } from "../../src/json.ts";
import { kvKey, kvValue, NewPlant } from "../../src/plant.ts";
import { parseCommandLine } from "./command-line.ts";
import type { Entry } from "./namespace.ts";
import { add, begin, run } from "./progress.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** What KV is to hold for a line, or what is wrong with it. */
function entryIn(line: Buffer): Entry | string {
	let json: unknown;
	try {
		json = parseExact(utf8.decode(line));
	} catch (error) {
		// Its message would quote the line.
		return error instanceof SyntaxError ? "is not JSON" : "is not UTF-8";
	}
	const { data, error } = NewPlant.safeParse(json);
	if (error) {
		const problems = error.issues.map(
			({ path: [field = "the line"], message }) => `${String(field)}: ${message}`,
		);
		return problems.join("; ");
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
		const entry = entryIn(Buffer.from(line, "latin1"));
		const earlier = typeof entry === "string" ? undefined : lineOf.get(entry.key);
		if (typeof entry === "string") problems.push(`Line ${number}: ${entry}`);
		else if (earlier) problems.push(`Line ${number}: id ${entry.key} is in line ${earlier}, too`);
		else {
			lineOf.set(entry.key, number);
			entries.push(entry);
		}
	}
	if (number === 0) problems.push("The file is empty.");
	const more = problems.splice(20).length;
	if (more) problems.push(`… and ${more} more lines`);
	if (problems.length) throw new Error(`${problems.join("\n")}\nNothing was written.`);
	return entries;
}

let [written, total] = [0, 0];
const notRestored = (reason: string) =>
	total
		? `Not fully restored: ${reason}\n${written} of ${total} plants are known to be written. Run it again.`
		: `Not restored: ${reason} Nothing was written.`;

await run(
	async () => {
		const { file, kv, open } = parseCommandLine("restore");
		const entries = await entriesIn(file);
		total = entries.length;
		try {
			const namespace = await open();
			begin("Writing plants", total);
			for await (const count of namespace.write(entries)) {
				written += count;
				add(count);
			}
			await namespace.close();
		} catch (error) {
			throw new Error(notRestored(error instanceof Error ? error.message : `${error}`));
		}
		return `Restored ${total} plants into ${kv}. Plants in KV that are not in the file stay as they are.`;
	},
	() => (total && written === total ? undefined : notRestored("interrupted.")),
);
