// `npm run export -- FILE` writes every plant as a line of JSON (JSON Lines), its value as it is in KV and in the
// order of KV's keys: those of `npm run dev`, or with `--remote [--env NAME]` deployed ones. The file is put in place
// when it is whole; until then an earlier one stays as it is.
import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseExact } from "../../src/json.ts";
import { kvKey, NewPlant } from "../../src/plant.ts";
import { parseCommandLine } from "./command-line.ts";
import { type Namespace, parts } from "./namespace.ts";
import { add, begin, run } from "./progress.ts";

/** Whether a key and its value are a plant's, on one line. */
function isPlant(key: string, value: string): boolean {
	try {
		const { data } = NewPlant.safeParse(parseExact(value));
		return data !== undefined && kvKey(data.id) === key && !/[\n\r]/.test(value);
	} catch {
		return false;
	}
}

/** All values by their keys, in KV's order; null for those that were deleted meanwhile. */
async function readAll(namespace: Namespace): Promise<Map<string, string | null>> {
	begin("Listing keys");
	const values = new Map<string, string | null>();
	for await (const keys of namespace.keys()) {
		for (const key of keys) values.set(key, null);
		add(keys.length);
	}
	begin("Reading plants", values.size);
	const read = async (keys: string[]) => {
		for await (const entries of namespace.read(keys)) {
			for (const [key, value] of entries) values.set(key, value);
			add(entries.length);
		}
	};
	await read([...values.keys()]);
	// Once more for those that were not there.
	await read([...values].flatMap(([key, value]) => (value === null ? [key] : [])));
	return values;
}

/** Opens a file beside another, for its owner alone, to be put in its place, or else removed when the process ends. */
async function openBeside(file: string) {
	const path = existsSync(file) ? realpathSync(file) : resolve(file);
	if (existsSync(path) && !statSync(path).isFile()) throw new Error(`${file} is not a file.`);
	const folder = dirname(path);
	const prefix = `${basename(path)}.unfinished-`;
	// From exports that were killed.
	const left = readdirSync(folder).filter((name) => name.startsWith(prefix));
	for (const name of left) rmSync(join(folder, name));
	const unfinished = join(folder, `${prefix}${process.pid}`);
	process.once("exit", () => rmSync(unfinished, { force: true }));
	const handle = await openFile(unfinished, "wx", 0o600);
	return {
		handle,
		async putInPlace() {
			await handle.sync();
			await handle.close();
			renameSync(unfinished, path);
			inPlace = true;
		},
	};
}
let inPlace = false;

/** The first of some keys. */
const short = (keys: string[]) =>
	[...keys.slice(0, 20), ...(keys.length > 20 ? ["…"] : [])].join(", ");

const notExported = (reason: string) =>
	`Not exported: ${reason}\nNo file was written, and an earlier one stays as it was.`;

await run(
	async () => {
		const { file, kv, open } = parseCommandLine("export");
		try {
			const { handle, putInPlace } = await openBeside(file);
			const namespace = await open();
			const values = await readAll(namespace);
			await namespace.close();
			const plants: string[] = [];
			const others: string[] = [];
			let deleted = 0;
			for (const [key, value] of values) {
				if (value === null) deleted++;
				else if (isPlant(key, value)) plants.push(`${value}\n`);
				else others.push(JSON.stringify(key));
			}
			const notes = [
				deleted && `Left out, since they were deleted meanwhile: ${deleted}`,
				others.length &&
					`Left out, since they are not plants: ${others.length}, under the keys ${short(others)}`,
			].flatMap((note) => (note ? [`\n${note}`] : []));
			if (plants.length === 0) throw new Error(`there is no plant in ${kv}.${notes.join("")}`);
			for (const part of parts(plants, 10_000)) await handle.appendFile(part.join(""));
			await putInPlace();
			return `Exported ${plants.length} plants from ${kv} to ${file}.${notes.join("")}`;
		} catch (error) {
			throw new Error(notExported(error instanceof Error ? error.message : `${error}`));
		}
	},
	() => (inPlace ? undefined : notExported("interrupted.")),
);
