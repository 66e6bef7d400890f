// `npm run restore -- <file> --remote` writes those plants of a backup that KV lacks, and so can be
// repeated. `--id=5` replaces just this plant, and `--replace` each plant in the file.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import * as wrangler from "./wrangler.ts";

const isInt64 = (key: string) => `${BigInt.asIntN(64, BigInt(key))}` === key;
const Plant = z.object({ key: z.string().check(z.refine(isInt64)), value: z.string() });
const Backup = z.array(Plant).check(z.minLength(1));

const [file = "<file>", ...args] = process.argv.slice(2);
wrangler.requireTarget("npm run restore --", [file, ...args]);
const ids = args.flatMap((arg) => /^--id=(.*)/.exec(arg)?.[1] ?? []);
const options = args.filter((arg) => !arg.startsWith("--id=") && arg !== "--replace");

/** Returns the plants in the file. Throws if it is not a backup, or not a whole one. */
function readBackup() {
	const text = readFileSync(file, "utf8");
	try {
		return Backup.parse(JSON.parse(text));
	} catch {
		throw new Error(`${file} is not a whole backup, or has a key that is no id.`);
	}
}

/** Returns the plants to write. Throws if an id is not in the file. */
async function choosePlants() {
	const plants = readBackup();
	const unknown = ids.find((id) => !plants.some(({ key }) => key === id));
	if (unknown !== undefined) throw new Error(`${file} has no plant ${unknown}.`);
	if (ids.length > 0) return plants.filter(({ key }) => ids.includes(key));
	if (args.includes("--replace")) return plants;
	const present = new Set(await wrangler.listKeys(options));
	const missing = plants.filter(({ key }) => !present.has(key));
	if (missing.length === 0) console.log("Nothing is missing.");
	return missing;
}

async function restore() {
	const plants = await choosePlants();
	const part = join(wrangler.makeWorkFolder(dirname(file)), "part.json");
	let written = 0;
	process.on("exit", () => {
		console.log(`Plants written: ${written}.`);
		if (written < plants.length) console.log("Run this again, to write the others.");
	});
	for (const batch of wrangler.batchesOf(plants)) {
		writeFileSync(part, JSON.stringify(batch));
		await wrangler.runKv(options, "bulk", "put", part);
		written += batch.length;
	}
}

await restore().catch((exception: Error) => {
	console.error(`Stopped: ${exception.message}`);
	process.exitCode = 1;
});
