// What the backup and the restore share: Wrangler, batches of plants, and a folder for their files.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Exits unless the options say which KV: by default, Wrangler would take the local one. */
export function requireTarget(command: string, options: string[]) {
	if (options.includes("--remote") || options.includes("--local")) return;
	console.error(`Run this: ${[command, ...options, "--remote"].join(" ")}`);
	process.exit(1);
}

/** Runs a command of `wrangler kv` with these options, and returns what it prints. */
export async function runKv(options: string[], ...command: string[]): Promise<string> {
	const args = ["kv", ...command, "--binding", "PLANTS", ...options];
	// Wrangler must print the values, but not write them into its own logs, too.
	const env = { ...process.env, WRANGLER_LOG: "log", WRANGLER_WRITE_LOGS: "false" };
	const attempt = () => promisify(execFile)("wrangler", args, { env, maxBuffer: Infinity });
	// Once more if it fails: otherwise, one lost connection would end the work of many minutes.
	const { stdout } = await attempt().catch(attempt);
	return stdout;
}

/** Returns the keys of all plants in KV. */
export async function listKeys(options: string[]): Promise<string[]> {
	const keys: { name: string }[] = JSON.parse(await runKv(options, "key", "list"));
	return keys.map(({ name }) => name);
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
