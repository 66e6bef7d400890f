// `npm run backup -- --remote` saves all plants in a file, in the format of `wrangler kv bulk put`. With
// `--local`, it saves the plants of `npm run dev`.
import { appendFileSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as kv from "./kv.ts";
import { kvOptions, pickKv, readOptions } from "./options.ts";

const usage = "Usage: npm run backup -- (--remote | --local) [--env=<name>]";
const { values } = readOptions(usage, { options: kvOptions });
const { environment, target } = pickKv(usage, values);
// A second environment has a folder of its own.
const folder = join(homedir(), values.local ? "local-plant-backups" : "plant-backups", environment);

/** Returns plants as lines of the file. Throws if one has no value. */
async function getLines(work: string, keys: string[]): Promise<string[]> {
	const values = await kv.tryTwice(() => kv.getValues(target, work, keys));
	return keys.map((key, index) => {
		const value = values[index];
		if (typeof value === "string") return JSON.stringify({ key, value });
		throw new Error(`KV has listed ${key}, but has no value for it. Run the backup again.`);
	});
}

async function backUp() {
	const keys = await kv.listKeys(target);
	if (keys.length === 0) throw new Error("KV has no plants.");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const work = kv.makeWorkFolder(folder);
	const unfinished = join(work, "plants.json");
	// The commas have lines of their own, so that a plant has the same line in every backup.
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
	const others = keys.filter((key) => !kv.isId(key));
	if (others.length > 0) {
		console.error(`The restore will refuse this file: these keys are not ids: ${JSON.stringify(others)}
Delete each: npx wrangler kv key delete <key> --binding PLANTS ${target.join(" ")}`);
	}
}

await backUp().catch((exception: Error) => {
	console.error(`There is no backup: ${exception.message}`);
	process.exitCode = 1;
});
