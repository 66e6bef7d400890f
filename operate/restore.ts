// `npm run --silent restore < plants.jsonl` writes plants, one a line as `npm run export` writes them, into the KV
// of `npm run dev`, or with `-- --remote [--env staging] --into <Worker>` into a deployed one. It writes nothing
// while a line is wrong. Plants of the same id are replaced, all others stay; it can be repeated.
import { addAbortSignal } from "node:stream";
import { buffer } from "node:stream/consumers";
import { parseExact } from "../src/json.ts";
import { kvKey, kvValue, NewPlant } from "../src/plant.ts";
import { type Entry, openNamespace, parseTarget } from "./kv.ts";
import { run } from "./progress.ts";

const LINE_FEED = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The lines of a file, without their ends. */
function* linesOf(bytes: Buffer) {
	for (let start = 0; start < bytes.length; ) {
		const end = bytes.indexOf(LINE_FEED, start);
		yield bytes.subarray(start, end < 0 ? bytes.length : end);
		start = end < 0 ? bytes.length : end + 1;
	}
}

/**
 * What KV is to hold for a line.
 *
 * @throws Error that says what is wrong with it
 */
function entryIn(line: Buffer): Entry {
	let json: unknown;
	try {
		json = parseExact(utf8.decode(line));
	} catch (error) {
		// The message would quote the line.
		throw new Error(error instanceof SyntaxError ? "is not JSON" : "is not UTF-8");
	}
	const { data, error } = NewPlant.safeParse(json);
	if (data) {
		const { id, ...plant } = data;
		return { key: kvKey(id), value: kvValue(id, plant) };
	}
	const problems = error?.issues.map(
		({ path: [field = "the line"], message }) => `${String(field)}: ${message}`,
	);
	throw new Error(problems?.join("; "));
}

/**
 * What KV is to hold for all lines of a file.
 *
 * @throws Error that names every line that is wrong
 */
function entriesIn(file: Buffer): Entry[] {
	const entries: Entry[] = [];
	const problems: string[] = [];
	const lineOf = new Map<string, number>();
	let number = 0;
	for (const line of linesOf(file)) {
		number++;
		try {
			const entry = entryIn(line);
			const earlier = lineOf.get(entry.key);
			if (earlier) throw new Error(`id ${entry.key} is in line ${earlier}, too`);
			lineOf.set(entry.key, number);
			entries.push(entry);
		} catch (error) {
			problems.push(`Line ${number}: ${error instanceof Error ? error.message : error}`);
		}
	}
	if (number === 0) problems.push("The file is empty.");
	if (problems.length) throw new Error(`${problems.join("\n")}\nNothing was written.`);
	return entries;
}

await run(async ({ begin, add, signal }) => {
	const target = parseTarget();
	if (process.stdin.isTTY)
		throw new Error("Give it a file: npm run --silent restore < plants.jsonl");
	const entries = entriesIn(await buffer(addAbortSignal(signal, process.stdin)));
	if (target.remote && target.into !== target.worker) {
		throw new Error(
			`This would write ${entries.length} plants into the KV of ${target.worker}, in place of those with the same ids.\nNothing was written. If that is meant, add: --into ${target.worker}`,
		);
	}
	const namespace = await openNamespace(target, signal);
	let written = 0;
	try {
		begin("Writing plants", entries.length);
		const size = namespace.batch.write;
		for (; written < entries.length; written = Math.min(written + size, entries.length)) {
			signal.throwIfAborted();
			const batch = entries.slice(written, written + size);
			await namespace.write(batch);
			add(batch.length);
		}
		return `Restored ${written} plants into the KV of ${namespace.name}. Plants in KV that are not in the file stay as they are.`;
	} catch (error) {
		const reason = signal.aborted ? "interrupted" : error instanceof Error ? error.message : error;
		throw new Error(
			`Not all restored, only ${written} plants of ${entries.length} for sure: ${reason}\nRun it again.`,
		);
	} finally {
		namespace.close();
	}
});
