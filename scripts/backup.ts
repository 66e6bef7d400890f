// `npm run backup -- --remote` saves all plants in a file, in the format of `wrangler kv bulk put`.
// Its options go to Wrangler: with `--local`, it saves the plants of `npm run dev`.
import { appendFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as kv from "./kv.ts";

const options = process.argv.slice(2);
kv.requireTarget(options, "Usage: npm run backup -- (--remote | --local) [--env=<name>]");
// Like Wrangler, which may find CLOUDFLARE_ENV there.
if (existsSync(".env")) process.loadEnvFile();
const { values } = parseArgs({
	strict: false,
	options: { env: { type: "string", short: "e", default: process.env["CLOUDFLARE_ENV"] ?? "" } },
});
// A second environment has a folder of its own, and so have the local plants.
const place = options.includes("--local") ? "local" : "";
const folder = join(homedir(), "plant-backups", `${values.env}`, place);

/** Returns plants as lines of the file. Throws if one has no value. */
async function getLines(work: string, keys: string[]): Promise<string[]> {
	const values = await kv.tryTwice(() => kv.getValues(options, work, keys));
	return keys.map((key, index) => {
		const value = values[index];
		if (typeof value === "string") return JSON.stringify({ key, value });
		throw new Error(`KV has listed ${key}, but has no value for it. Run the backup again.`);
	});
}

async function backUp() {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const work = kv.makeWorkFolder(folder);
	const keys = await kv.listKeys(options);
	if (keys.length === 0) throw new Error("KV has no plants.");
	const unfinished = join(work, "plants.json");
	// The commas have lines of their own, so that `diff` shows only plants that have changed.
	let separator = "[\n";
	for (const batch of kv.batchesOf(keys)) {
		const lines = await getLines(work, batch);
		appendFileSync(unfinished, `${separator}${lines.join("\n,\n")}\n`, { mode: 0o600 });
		separator = ",\n";
	}
	appendFileSync(unfinished, "]\n");
	const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
	const file = join(folder, `${time}-${keys.length}-plants.json`);
	renameSync(unfinished, file);
	console.log(file);
}

await backUp().catch((exception: Error) => {
	console.error(`There is no backup: ${exception.message}`);
	process.exitCode = 1;
});
