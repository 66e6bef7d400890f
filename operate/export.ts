// `npm run export -- FILE` copies the KV of `npm run dev` into a file that `wrangler kv bulk put` restores, and
// `npm run export -- FILE WORKER` that of a deployed Worker: a JSON array, an entry a line, in the order of KV's keys.
// The file is put in place once it is whole. Until then, an earlier one stays as it is.
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { parseExact } from "../src/json.ts";
import { kvKey, NewPlant } from "../src/plant.ts";

/** Whether a key and its value are a plant's. */
function isPlant(key: string, value: string): boolean {
	try {
		const { data } = NewPlant.safeParse(parseExact(value));
		return data !== undefined && kvKey(data.id) === key;
	} catch {
		return false;
	}
}

/** The KV of a deployed Worker, or that of `npm run dev`. What the other one needs is not loaded. */
async function openKv(worker: string | undefined) {
	if (worker) return (await import("./deployed-kv.ts")).openDeployed(worker);
	const { localEntries } = await import("./local-kv.ts");
	return { name: "the KV of npm run dev", entries: localEntries };
}

/**
 * Exports KV into a file. Returns what to tell the person.
 *
 * @throws Error where KV can't be read or holds nothing, or the file can't be written
 */
async function exportTo(file: string, worker?: string): Promise<string> {
	// npm runs commands in the project's folder, and tells in which one the person is.
	const named = resolve(process.env["INIT_CWD"] ?? "", file);
	const path = existsSync(named) ? realpathSync(named) : named;
	if (existsSync(path) && !statSync(path).isFile()) throw new Error(`${path} is not a file.`);
	const unfinished = `${path}.unfinished-${randomUUID()}`;
	process.once("exit", () => rmSync(unfinished, { force: true }));
	const handle = await open(unfinished, "wx", 0o600);

	const kv = await openKv(worker);
	let [written, deleted, separator] = [0, 0, "[\n"];
	const others: string[] = [];
	for await (const entries of kv.entries()) {
		let lines = "";
		for (const [key, value] of entries) {
			if (value === null) {
				deleted++;
				continue;
			}
			if (!isPlant(key, value)) others.push(JSON.stringify(key));
			lines += `${separator}{"key":${JSON.stringify(key)},"value":${JSON.stringify(value)}}`;
			separator = ",\n";
			written++;
		}
		await handle.appendFile(lines);
		// Whatever comes next is longer, and replaces it.
		if (process.stderr.isTTY) process.stderr.write(`Read: ${written}\r`);
	}
	if (written === 0) throw new Error(`there is nothing in ${kv.name}.`);
	await handle.appendFile("\n]\n");
	await handle.sync();
	await handle.close();
	renameSync(unfinished, path);

	if (deleted) console.error(`Left out, since they were deleted meanwhile: ${deleted}`);
	if (others.length) {
		const keys = others.length > 20 ? [...others.slice(0, 20), "…"] : others;
		console.error(
			`In the file, but not plants: ${others.length}, under the keys ${keys.join(", ")}`,
		);
	}
	const plants = written - others.length;
	return `Exported ${plants} ${plants === 1 ? "plant" : "plants"} from ${kv.name} to ${path}`;
}

/** Ends the process, and with it the unfinished file. */
function fail(reason: string, status: number): never {
	console.error(`Not exported: ${reason}\nNo file was written. An earlier one stays as it was.`);
	process.exit(status);
}

const words = process.argv.slice(2);
const [file, worker] = words;
if (!file || words.length > 2 || words.some((word) => !word || word.startsWith("-"))) {
	console.error("Usage: npm run export -- FILE [WORKER]");
	process.exit(2);
}
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
	process.on(signal, () => fail("interrupted.", 128 + number));
}
try {
	console.log(await exportTo(file, worker));
} catch (error) {
	fail(error instanceof Error ? error.message : `${error}`, 1);
}
