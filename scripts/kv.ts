// What the backup and the restore share: Wrangler, batches of plants, and a folder for their files.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Exits with the usage, unless the options say which KV: Wrangler's default is the local one. */
export function requireTarget(options: string[], usage: string) {
	const isHelp = process.argv.includes("--help");
	// Without `--` before them, npm keeps these, and the command would be another one.
	const isKept = process.env["npm_config_env"] || process.env["npm_config_id"];
	const hasTarget = options.includes("--remote") || options.includes("--local");
	if (hasTarget && !isHelp && !isKept) return;
	console.error(usage);
	process.exit(isHelp ? 0 : 1);
}

// Wrangler ends with this process, also if that alone gets a signal.
const ended = new AbortController();
process.on("exit", () => ended.abort());

/** Runs a command of `wrangler kv` with these options. Returns the JSON that it prints, if any. */
export async function runKv(target: string[], ...command: string[]): Promise<string> {
	const args = ["kv", ...command, "--binding", "PLANTS", ...target];
	// Wrangler must print the values, but not write them into its own logs, too.
	const env = { ...process.env, WRANGLER_LOG: "log", WRANGLER_WRITE_LOGS: "false" };
	const options = { env, maxBuffer: Infinity, signal: ended.signal };
	const { stdout } = await promisify(execFile)("wrangler", args, options);
	// A notice of Wrangler's may come first.
	return stdout.slice(stdout.search(/^[[{]/m));
}

/** Tries once more if it fails: one lost connection must not end the work of many minutes. */
export const tryTwice = <T>(action: () => Promise<T>): Promise<T> => action().catch(action);

/** Returns the keys of all plants in KV. */
export async function listKeys(options: string[]): Promise<string[]> {
	const json = await tryTwice(() => runKv(options, "key", "list"));
	const keys: { name: string }[] = JSON.parse(json);
	return keys.map(({ name }) => name);
}

/** Returns the values of at most a hundred keys, each null if KV has none. Writes into the folder. */
export async function getValues(options: string[], folder: string, keys: string[]) {
	const file = join(folder, "keys.json");
	writeFileSync(file, JSON.stringify(keys));
	const json = await runKv(options, "bulk", "get", file);
	// With `--local`, each value is in an object.
	const found: Record<string, string | { value: string | null } | null> = JSON.parse(json);
	return keys.map((key) => {
		const entry = found[key] ?? null;
		return typeof entry === "object" ? (entry?.value ?? null) : entry;
	});
}

/** Yields items by the hundred: KV returns no more at once. A terminal shows how far it is. */
export function* batchesOf<T>(items: T[]): Generator<T[]> {
	for (let start = 0; start < items.length; start += 100) {
		if (process.stderr.isTTY) console.error(`${start} of ${items.length} plants`);
		yield items.slice(start, start + 100);
	}
}

/** Makes a folder in another one. It is removed when this process exits. */
export function makeWorkFolder(parent: string): string {
	const folder = mkdtempSync(join(parent, "unfinished-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
	return folder;
}
