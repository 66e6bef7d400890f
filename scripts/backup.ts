// `npm run backup -- --remote` saves all plants in a file, in the format of `wrangler kv bulk put`.
// Its options go to Wrangler: with `--local`, it saves the plants of `npm run dev`.
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as wrangler from "./wrangler.ts";

const options = process.argv.slice(2);
wrangler.requireTarget("npm run backup --", options);
const { values } = parseArgs({
	strict: false,
	options: { env: { type: "string", short: "e", default: process.env["CLOUDFLARE_ENV"] ?? "" } },
});
// A second environment has a folder of its own, and so have the local plants.
const place = options.includes("--local") ? "local" : "";
const folder = join(homedir(), "plant-backups", `${values.env}`, place);
mkdirSync(folder, { recursive: true, mode: 0o700 });
const work = wrangler.makeWorkFolder(folder);

/** Returns plants as lines of the file. Throws if one has no value. */
async function getLines(keys: string[]): Promise<string[]> {
	const file = join(work, "keys.json");
	writeFileSync(file, JSON.stringify(keys));
	const json = await wrangler.runKv(options, "bulk", "get", file);
	// With `--local`, each value is in an object.
	const values: Record<string, string | { value: string } | null> = JSON.parse(json);
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
	const keys = await wrangler.listKeys(options);
	if (keys.length === 0) throw new Error("KV has no plants.");
	const unfinished = join(work, "plants.json");
	// The commas have lines of their own, so that `diff` shows only plants that have changed.
	let separator = "[\n";
	for (const batch of wrangler.batchesOf(keys)) {
		const lines = await getLines(batch);
		appendFileSync(unfinished, `${separator}${lines.join("\n,\n")}\n`, { mode: 0o600 });
		separator = ",\n";
	}
	appendFileSync(unfinished, "]\n");
	const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
	const file = join(folder, `${time}-${keys.length}-plants.json`);
	renameSync(unfinished, file);
	console.log(file);
}

await backUp().catch((exception: Error) => {
	console.error(`There is no backup: ${exception.message}`);
	process.exitCode = 1;
});
