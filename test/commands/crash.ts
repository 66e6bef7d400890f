// `npm run crash [-- rounds]` kills `wrangler dev` with SIGKILL under load, again and again on the same
// state, and then looks for every plant that was answered 200. Exits with 0 if each one is stored exactly.
import { join } from "node:path";
import type { KVNamespace } from "@cloudflare/workers-types";
import { getPlatformProxy } from "wrangler";
import { startDev } from "../../harness/dev.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { kvKey, kvValue } from "../../src/plant.ts";

const rounds = Number(process.argv[2] ?? 10);
const CLIENTS = 16;
const token = "crash-token";
const state = temporaryFolder("crash");

/** The value that KV must hold for each key that was acknowledged. */
const acknowledged = new Map<string, string>();
let nextId = 2n ** 53n + 1n;

/** Creates plants until the service is gone. */
async function client(url: string) {
	for (;;) {
		const id = nextId++;
		const body = kvValue(id, { name: `Plant ${id}` });
		const answer = await fetch(`${url}/plants`, {
			method: "POST",
			headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
			body,
		}).catch(() => undefined);
		if (!answer) return;
		if (answer.status === 200) acknowledged.set(kvKey(id), body);
	}
}

for (let round = 1; round <= rounds; round++) {
	const dev = await startDev(state, token);
	const clients = Array.from({ length: CLIENTS }, () => client(dev.url));
	await new Promise((resolve) => setTimeout(resolve, 1000 + Math.random() * 1000));
	await dev.stop("SIGKILL");
	await Promise.all(clients);
	console.log(`round ${round}: ${acknowledged.size} plants acknowledged so far`);
}

// Otherwise Wrangler warns that the secret is missing, which only the Worker needs.
process.env["WRANGLER_LOG"] = "error";
const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>({
	persist: { path: join(state, "v3") },
});
let lost = 0;
for (const [key, value] of acknowledged) {
	const found = await env.PLANTS.get(key);
	if (found !== value && ++lost <= 10) console.error(`${key}: ${found} instead of ${value}`);
}
await dispose();
console.log(
	`${acknowledged.size} plants acknowledged, ${rounds} times SIGKILL: ${lost} lost or changed.`,
);
process.exit(acknowledged.size > 0 && lost === 0 ? 0 : 1);
