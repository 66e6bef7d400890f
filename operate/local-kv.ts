// The KV of `npm run dev`, through the binding that Wrangler provides. `npm run dev` may be running meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { KVNamespace } from "@cloudflare/workers-types";

/** Asks KV again, for about ten seconds: it fails while `npm run dev` writes to its database. */
const patiently = <T>(ask: () => Promise<T>, ms = 10): Promise<T> =>
	ask().catch((error) => {
		if (ms > 5000) throw error;
		return sleep(ms).then(() => patiently(ask, 2 * ms));
	});

/** The local namespace of the wrangler.toml in this folder. */
export const local = {
	name: "the KV of npm run dev",
	/** All keys with their values in KV's order, some at a time; null for a deleted one. */
	async *entries() {
		// Otherwise Wrangler tells that the secret is missing, or takes another environment than npm run dev.
		process.env["WRANGLER_LOG"] = "error";
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
	},
};
