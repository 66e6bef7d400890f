// KV, by Wrangler, for the backup and the restore. Whatever ends this process ends Wrangler, too.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const ended = new AbortController();
process.on("exit", () => ended.abort());
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) {
	process.on(signal, () => {
		console.error("Interrupted.");
		process.exit(1);
	});
}

/** Makes a folder in another one. This process removes it at its end. */
export function makeWorkFolder(parent: string): string {
	const folder = mkdtempSync(join(parent, "unfinished-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Runs a command of `wrangler kv` in this KV. Returns its result. Throws if it fails, or is ended. */
export async function runKv(target: string[], ...command: string[]): Promise<string> {
	// Without --config, a wrangler.json would win, even one in a folder above.
	const config = ["--config", "wrangler.toml"];
	const args = ["kv", ...command, "--binding", "PLANTS", ...config, ...target];
	// Wrangler must print the values, but not write them into its own logs, too.
	const env = { ...process.env, WRANGLER_LOG: "log", WRANGLER_WRITE_LOGS: "false" };
	const options = { env, maxBuffer: Infinity, signal: ended.signal };
	const { stdout } = await promisify(execFile)("wrangler", args, options);
	// At its end, a write prints Success!, and a read JSON. Even after a signal, Wrangler's status is 0.
	const [result] = /^(?:Success!|[[{](?:[^]*\n)?[\]}])$/m.exec(stdout) ?? [];
	if (result) return result;
	throw new Error("Wrangler was ended before it had finished. The machine may lack memory.");
}

/** Tries once more if it fails: one lost connection must not end the work of many minutes. */
export const tryTwice = <T>(action: () => Promise<T>): Promise<T> => action().catch(action);

/** Whether a key is an id: an int64 in decimal. The service writes no other keys. */
export const isId = (key: string) =>
	/^-?\d+$/.test(key) && `${BigInt.asIntN(64, BigInt(key))}` === key;

/** Returns all keys in KV. */
export async function listKeys(target: string[]): Promise<string[]> {
	const json = await tryTwice(() => runKv(target, "key", "list"));
	const keys: { name: string }[] = JSON.parse(json);
	return keys.map(({ name }) => name);
}

/** Returns the values of at most a hundred keys, each null if KV has none. Writes keys.json into the folder. */
export async function getValues(target: string[], folder: string, keys: string[]) {
	const file = join(folder, "keys.json");
	writeFileSync(file, JSON.stringify(keys));
	const json = await runKv(target, "bulk", "get", file);
	// With `--local`, each value is in an object.
	const found: Record<string, string | { value: string | null } | null> = JSON.parse(json);
	return keys.map((key) => {
		const entry = found[key];
		return typeof entry === "string" ? entry : (entry?.value ?? null);
	});
}

/** Yields items by the hundred: KV returns no more at once. Shows in a terminal how far it is. */
export function* batchesOf<T>(items: T[]): Generator<T[]> {
	for (let start = 0; start < items.length; start += 100) {
		if (process.stderr.isTTY) console.error(`${start} of ${items.length} plants`);
		yield items.slice(start, start + 100);
	}
}
