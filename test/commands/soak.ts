// `npm run soak` creates 200,000 plants in workerd, many clients at once, on ids of their own and on
// one that they share. It exits with 1 at the first wrong answer, or when workerd's memory keeps growing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../harness/folder.ts";
import { load, type MakePlant, TOKEN } from "../../harness/load.ts";
import { bundle, INSTANT_KV, startWorkerd, until } from "../../harness/workerd.ts";

const CREATES = 200_000;
const PARTS = 10;
/** The MiB by which memory may grow in the second half. In the first, V8 lets its heap grow to the size that it prefers. */
const MAX_GROWTH = 40;
const folder = temporaryFolder("soak");
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
console.log(
	`Memory may grow to a few hundred MiB in the first half, and by ${MAX_GROWTH} MiB at most in the second.`,
);
const begin = performance.now();
const samples: number[] = [];
for (let part = 1; part <= PARTS; part++) {
	await load(port, { requests: CREATES / PARTS, clients: 64, plant });
	const seconds = ((performance.now() - begin) / 1000).toFixed(0);
	const mebibytes = memory();
	samples.push(mebibytes);
	console.log(`${(CREATES * part) / PARTS} creates, ${seconds} s: ${mebibytes.toFixed(0)} MiB`);
}
const [half = Number.NaN, end = Number.NaN] = [samples[PARTS / 2 - 1], samples.at(-1)];
const grown = `No wrong answer; in the second half memory grew by ${(end - half).toFixed(0)} MiB`;
if (end - half <= MAX_GROWTH) {
	console.log(`${grown}, which is fine.`);
	process.exit();
}
console.error(
	`${grown}, more than ${MAX_GROWTH}: the Worker keeps something from one request to the next.`,
);
process.exit(1);
