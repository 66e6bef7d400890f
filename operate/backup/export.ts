// `npm run export -- FILE` writes every plant as a line of JSON (JSON Lines), its value as it is in KV and in the
// order of KV's keys: those of `npm run dev`, or with `--remote [--env NAME]` deployed ones. The file is put in place
// when it is whole; until then an earlier one stays as it is.
import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseExact } from "../../src/json.ts";
import { kvKey, NewPlant } from "../../src/plant.ts";
import { commandLine } from "./command-line.ts";
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

/** Opens a file beside another, for its owner alone, which the process removes when it ends. */
async function openBeside(path: string) {
	const [folder, prefix] = [dirname(path), `${basename(path)}.unfinished-`];
	// From exports that were killed.
	const left = readdirSync(folder).filter((name) => name.startsWith(prefix));
	for (const name of left) rmSync(join(folder, name));
	const unfinished = join(folder, `${prefix}${process.pid}`);
	process.once("exit", () => rmSync(unfinished, { force: true }));
	return { unfinished, handle: await openFile(unfinished, "wx", 0o600) };
}

const { file, kv, open } = commandLine("export");
await run(
	async () => {
		const path = existsSync(file) ? realpathSync(file) : resolve(file);
		if (existsSync(path) && !statSync(path).isFile()) throw new Error(`${file} is not a file.`);
		const { unfinished, handle } = await openBeside(path);
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
		const keys = others.length > 20 ? [...others.slice(0, 20), "…"] : others;
		const notes = [
			deleted && `\nLeft out, since they were deleted meanwhile: ${deleted}`,
			others.length &&
				`\nLeft out, since they are not plants: ${others.length}, under the keys ${keys.join(", ")}`,
		]
			.filter(Boolean)
			.join("");
		if (plants.length === 0) throw new Error(`there is no plant in ${kv}.${notes}`);
		for (const part of parts(plants, 10_000)) await handle.appendFile(part.join(""));
		await handle.sync();
		await handle.close();
		renameSync(unfinished, path);
		return `Exported ${plants.length} plants from ${kv} to ${file}.${notes}`;
	},
	(reason) => `Not exported: ${reason}\nNo file was written, and an earlier one stays as it was.`,
);
