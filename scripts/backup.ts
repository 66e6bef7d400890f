// `npm run backup -- --remote` saves all plants in a file that `wrangler kv bulk put` restores.
// Its options go to Wrangler: with `--local`, it saves the plants of `npm run dev`.
import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

/** Wrangler gets at most 100 values in one call. (They are well under KV's limit of 25 MB.) */
const BATCH_SIZE = 100;

const run = promisify(execFile);
const options = process.argv.slice(2);
const { values } = parseArgs({
	strict: false,
	options: {
		remote: { type: "boolean" },
		local: { type: "boolean" },
		env: { type: "string", short: "e", default: process.env["CLOUDFLARE_ENV"] ?? "" },
	},
});
// By default, Wrangler would take the local plants. (npm keeps options before `--` for itself.)
if (!values.remote && !values.local) {
	console.error(`Run this: ${["npm run backup --", ...options, "--remote"].join(" ")}`);
	process.exit(1);
}

// A second environment has a folder of its own, and so have the local plants.
const folder = join(homedir(), "plant-backups", `${values.env}`, values.local ? "local" : "");
mkdirSync(folder, { recursive: true, mode: 0o700 });
/** A folder for unfinished files. It is removed when this process exits. */
const work = mkdtempSync(join(folder, "unfinished-"));
process.on("exit", () => rmSync(work, { recursive: true }));
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
	process.on(signal, () => process.exit(1));
}

/** Runs a command of `wrangler kv`, and returns what it prints. */
async function wranglerKv(...command: string[]): Promise<string> {
	const args = ["kv", ...command, "--binding", "PLANTS", ...options];
	// Wrangler must print the values, but not write them into its own logs, too.
	const env = { ...process.env, WRANGLER_LOG: "log", WRANGLER_WRITE_LOGS: "false" };
	const attempt = () => run("wrangler", args, { env, maxBuffer: Number.POSITIVE_INFINITY });
	// Once more if it fails: otherwise, one lost connection would end a backup of many minutes.
	const { stdout } = await attempt().catch(attempt);
	return stdout;
}

/** Returns plants as lines of the file. Throws if one has no value. */
async function getLines(keys: string[]): Promise<string[]> {
	const file = join(work, "keys.json");
	writeFileSync(file, JSON.stringify(keys));
	// With `--local`, each value is in an object.
	const values: Record<string, string | { value: string } | null> = JSON.parse(
		await wranglerKv("bulk", "get", file),
	);
	return keys.map((key) => {
		const entry = values[key];
		const value = typeof entry === "object" ? entry?.value : entry;
		if (typeof value !== "string") {
			throw new Error(`KV has listed ${key}, but has no value for it. Run the backup again.`);
		}
		return JSON.stringify({ key, value });
	});
}

async function backUp() {
	const listed: { name: string }[] = JSON.parse(await wranglerKv("key", "list"));
	const keys = listed.map(({ name }) => name);
	if (keys.length === 0) throw new Error("KV has no plants.");
	const unfinished = join(work, "plants.json");
	writeFileSync(unfinished, "[\n", { mode: 0o600 });
	for (let start = 0; start < keys.length; start += BATCH_SIZE) {
		const lines = await getLines(keys.slice(start, start + BATCH_SIZE));
		const saved = start + lines.length;
		// The commas have lines of their own, so that `diff` shows only plants that have changed.
		const end = saved < keys.length ? "," : "]";
		appendFileSync(unfinished, `${lines.join("\n,\n")}\n${end}\n`);
		// Only in a terminal: cron would mail these lines.
		if (process.stderr.isTTY) console.error(`${saved} of ${keys.length} plants`);
	}
	const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
	const file = join(folder, `${time}-${keys.length}-plants.json`);
	renameSync(unfinished, file);
	console.log(file);
}

await backUp().catch((exception: Error) => {
	console.error(`There is no backup: ${exception.message}`);
	process.exitCode = 1;
});
