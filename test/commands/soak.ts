// `npm run soak [-- creates]` creates plants in workerd, many clients at once, on ids of their own and on
// one that they share. It ends at the first wrong answer, and prints the memory that workerd takes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, type MakePlant, TOKEN } from "../../harness/load.ts";
import { bundle, INSTANT_KV, startWorkerd, until } from "../../harness/workerd.ts";

const creates = Number(process.argv[2] ?? 200_000);
const PARTS = 10;
const folder = mkdtempSync(join(tmpdir(), "plant-store-soak-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
const file = bundle("src/index.ts", join(folder, "bundle"));
const { child, port } = await startWorkerd({ folder, file, token: TOKEN, kv: INSTANT_KV });

const plant: MakePlant = (number) => ({
	id: number % 2 ? 7n : 2n ** 53n + BigInt(number),
	name: `Plant ${number}`,
	tag: "🌵",
});

/** Resident memory of workerd, in MiB. */
const memory = () =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;

await until(() => load(port, { requests: 1, clients: 1 }));
const begin = performance.now();
for (let part = 1; part <= PARTS; part++) {
	await load(port, { requests: creates / PARTS, clients: 64, plant });
	const seconds = ((performance.now() - begin) / 1000).toFixed(0);
	const sofar = (creates * part) / PARTS;
	console.log(`${sofar} creates, ${seconds} s: ${memory().toFixed(0)} MiB`);
}
console.log("No wrong answer.");
process.exit();
