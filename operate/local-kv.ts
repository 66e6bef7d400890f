// The KV of `npm run dev`, through the binding that Wrangler provides. `npm run dev` may run at the same time.
import { setTimeout as sleep } from "node:timers/promises";
import type { KVNamespace } from "@cloudflare/workers-types";

/** Asks KV again, for about ten seconds: a read fails while `npm run dev` writes to the database. */
const patiently = <T>(ask: () => Promise<T>, ms = 10): Promise<T> =>
	ask().catch((error) => {
		if (ms > 5000) throw error;
		return sleep(ms).then(() => patiently(ask, 2 * ms));
	});

/** The local namespace of the wrangler.toml in the current folder. */
export const local = {
	name: "the KV of npm run dev",
	/** Yields the keys and values in KV's order, in batches; the value of a deleted key is null. */
	async *entries() {
		// Otherwise Wrangler warns that the secret is missing, or uses a different environment from npm run dev.
		process.env["WRANGLER_LOG"] = "error";
		process.env["CLOUDFLARE_ENV"] = "";
		const { getPlatformProxy } = await import("wrangler");
		const options = { configPath: "wrangler.toml", envFiles: [], remoteBindings: false };
		const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>(options);
		// One value per call, because a bulk get misses keys like "100".
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
