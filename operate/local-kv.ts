// The KV of `npm run dev`, through the binding that Wrangler provides. `npm run dev` may be running meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { KVNamespace } from "@cloudflare/workers-types";

/** Asks KV again, for about ten seconds: it fails while `npm run dev` writes to its database. */
const patiently = <T>(ask: () => Promise<T>, ms = 10): Promise<T> =>
	ask().catch((error) => {
		if (ms > 5000) throw error;
		return sleep(ms).then(() => patiently(ask, 2 * ms));
	});

/** All keys with their values in KV's order, some at a time; null for a deleted one. */
export async function* localEntries() {
	// Otherwise Wrangler says that the secret is missing, which nothing here needs.
	process.env["WRANGLER_LOG"] = "error";
	// The top level of wrangler.toml, as in npm run dev.
	process.env["CLOUDFLARE_ENV"] = "";
	const { getPlatformProxy } = await import("wrangler");
	const options = { configPath: "wrangler.toml", envFiles: [], remoteBindings: false };
	const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>(options);
	// One value a call, since a get of several misses keys like "100".
	const get = async ({ name }: { name: string }) =>
		[name, await patiently(() => env.PLANTS.get(name))] as const;
	for (let cursor: string | null = ""; cursor !== null;) {
		const page = await patiently(() => env.PLANTS.list({ cursor: cursor || null }));
		for (let from = 0; from < page.keys.length; from += 32) {
			yield await Promise.all(page.keys.slice(from, from + 32).map(get));
		}
		cursor = page.list_complete ? null : page.cursor;
	}
	await dispose();
}
