// `npm run --silent export > plants.jsonl` writes every plant as a line of JSON (JSON Lines), its value as it is
// in KV: that of `npm run dev`, or with `-- --remote [--env staging]` a deployed one. It writes nothing before
// it has read everything; if something cannot be read, it ends with a message and a status other than 0.
import { createReadStream, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseExact } from "../src/json.ts";
import { NewPlant } from "../src/plant.ts";
import { type Namespace, openNamespace, parseTarget } from "./kv.ts";
import { type Progress, run } from "./progress.ts";

/** How many reads are under way at once. */
const CONCURRENCY = 4;

/** Whether a key and its value are a plant's, on one line. */
function isPlant(key: string, value: string): boolean {
	try {
		const { data } = NewPlant.safeParse(parseExact(value));
		return data !== undefined && `${data.id}` === key && !/[\n\r]/.test(value);
	} catch {
		return false;
	}
}

/** The values of some keys, in as many calls as their size asks for: KV returns at most 25 MB at once. */
async function read(namespace: Namespace, keys: string[]): Promise<Map<string, string>> {
	try {
		return await namespace.read(keys);
	} catch (error) {
		if (keys.length === 1 || !/\b413\b/.test(`${error}`)) throw error;
		const half = Math.ceil(keys.length / 2);
		const parts = [keys.slice(0, half), keys.slice(half)];
		const [first, second] = await Promise.all(parts.map((part) => read(namespace, part)));
		return new Map([...(first ?? []), ...(second ?? [])]);
	}
}

/** Writes all plants of a namespace to a file, and returns their number, and the keys of values that are not plants. */
async function collect(namespace: Namespace, file: number, { begin, add, signal }: Progress) {
	let plants = 0;
	try {
		begin("Listing keys");
		const keys: string[] = [];
		for await (const page of namespace.keys()) {
			signal.throwIfAborted();
			for (const key of page) keys.push(key);
			add(page.length);
		}
		begin("Reading plants", keys.length);
		const size = namespace.batch.read;
		const batches = Array.from({ length: Math.ceil(keys.length / size) }, (_, index) =>
			keys.slice(index * size, (index + 1) * size),
		);
		const others: string[] = [];
		const reads = Readable.from(batches).map(
			async (batch: string[]) => ({ batch, values: await read(namespace, batch) }),
			{ concurrency: CONCURRENCY, signal },
		);
		for await (const { batch, values } of reads) {
			let lines = "";
			for (const key of batch) {
				const value = values.get(key);
				if (value === undefined) throw new Error(`The key ${key} is listed, but has no value.`);
				if (isPlant(key, value)) {
					lines += `${value}\n`;
					plants++;
				} else others.push(key);
			}
			writeSync(file, lines);
			add(batch.length);
		}
		return { plants, others };
	} catch (error) {
		const reason = signal.aborted ? "interrupted" : error instanceof Error ? error.message : error;
		throw new Error(
			`Not exported, after ${plants} plants: ${reason}\nNothing was written. Run it again.`,
		);
	}
}

await run(async (progress) => {
	const namespace = await openNamespace(parseTarget(), progress.signal);
	const folder = mkdtempSync(join(tmpdir(), "plant-store-export-"));
	try {
		const path = join(folder, "plants.jsonl");
		const { plants, others } = await collect(namespace, openSync(path, "wx", 0o600), progress);
		await pipeline(createReadStream(path), process.stdout);
		const named = others.map(
			(key) => `\nNot exported, because it is not a plant: the key ${JSON.stringify(key)}`,
		);
		const left = others.length
			? ` ${others.length} other values were left out:${named.join("")}`
			: "";
		return `Exported ${plants} plants from the KV of ${namespace.name}.${left}`;
	} finally {
		rmSync(folder, { recursive: true });
		namespace.close();
	}
});
