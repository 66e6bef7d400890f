// `npm run export -- FILE` exports the KV of `npm run dev` to a file that `wrangler kv bulk put` restores, and
// `npm run export -- FILE WORKER` that of a deployed Worker. The file is a JSON array, with one entry per line, in the
// order of KV's keys. It replaces an earlier file only once it is complete.
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { parseExact } from "../src/json.ts";
import { kvKey, NewPlant } from "../src/plant.ts";
import { openDeployed } from "./deployed-kv.ts";
import { local } from "./local-kv.ts";

/** Whether a key and its value are a plant's. */
function isPlant(key: string, value: string): boolean {
	try {
		const { data } = NewPlant.safeParse(parseExact(value));
		return data !== undefined && kvKey(data.id) === key;
	} catch {
		return false;
	}
}

/** Exports KV to a file, and returns the message to print. Throws if KV can't be read or the file can't be written. */
async function exportTo(file: string, worker?: string): Promise<string> {
	// npm runs scripts in the project's folder. INIT_CWD is the folder that npm was started in.
	const named = resolve(process.env["INIT_CWD"] ?? "", file);
	const path = existsSync(named) ? realpathSync(named) : named;
	if (existsSync(path) && !statSync(path).isFile()) throw new Error(`${path} is not a file.`);
	const unfinished = `${path}.unfinished-${randomUUID()}`;
	process.once("exit", () => existsSync(unfinished) && rmSync(unfinished));
	const handle = await open(unfinished, "wx", 0o600);
	const kv = worker ? await openDeployed(worker) : local;
	const others: string[] = [];
	let [read, written, text] = [0, 0, "[\n"];
	for await (const entries of kv.entries()) {
		for (const [key, value] of entries) {
			read++;
			if (value === null) continue;
			if (!isPlant(key, value)) others.push(JSON.stringify(key));
			text += `${written++ ? ",\n" : ""}{"key":${JSON.stringify(key)},"value":${JSON.stringify(value)}}`;
			// All entries together may be longer than a string can be.
			if (text.length > 1_000_000) {
				await handle.appendFile(text);
				text = "";
			}
		}
		// The next message is longer, and overwrites this one.
		if (process.stderr.isTTY) process.stderr.write(`Read: ${read}\r`);
	}
	if (written === 0) throw new Error(`${kv.name} is empty.`);
	await handle.appendFile(`${text}\n]\n`);
	await handle.sync();
	await handle.close();
	renameSync(unfinished, path);
	if (read > written) console.error(`Left out, because they were deleted: ${read - written}`);
	if (others.length) {
		const keys = others.length > 20 ? [...others.slice(0, 20), "…"] : others;
		console.error(
			`In the file, but not plants: ${others.length}, under the keys ${keys.join(", ")}`,
		);
	}
	const plants = written - others.length;
	return `Exported ${plants} ${plants === 1 ? "plant" : "plants"} from ${kv.name} to ${path}`;
}

/** Ends the process, which removes the unfinished file. */
function fail(reason: string, status: number): never {
	console.error(`Not exported: ${reason}\nNo file was written. An earlier file is unchanged.`);
	process.exit(status);
}

const [file, worker, ...more] = process.argv.slice(2);
if (!file || worker === "" || more.length || [file, worker].some((word) => word?.startsWith("-"))) {
	fail("the command must be npm run export -- FILE [WORKER]", 2);
}
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
	process.on(signal, () => fail("interrupted.", 128 + number));
}
try {
	console.log(await exportTo(file, worker));
} catch (error) {
	fail(error instanceof Error ? error.message : `${error}`, 1);
}
