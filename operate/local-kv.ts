// The KV of `npm run dev`, through the binding that Wrangler provides. `npm run dev` may be running meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { KVNamespace } from "@cloudflare/workers-types";
import { getPlatformProxy } from "wrangler";

/** How many values to read at once: one a call, since a get of several misses keys like "100". */
const AT_ONCE = 32;

/** Asks KV again, for about ten seconds: it fails while `npm run dev` writes to its database. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
	for (let ms = 10; ; ms *= 2) {
		try {
			return await ask();
		} catch (error) {
			if (ms > 5000) throw error;
			await sleep(ms);
		}
	}
}

/** All keys and values in KV's order, some at a time; null for a deleted one. */
export async function* localEntries() {
	// Otherwise Wrangler says that the secret is missing, which nothing here needs.
	process.env["WRANGLER_LOG"] = "error";
	// The top level of wrangler.toml, as in npm run dev.
	process.env["CLOUDFLARE_ENV"] = "";
	const options = { configPath: "wrangler.toml", envFiles: [], remoteBindings: false };
	const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>(options);
	type Page = Awaited<ReturnType<typeof env.PLANTS.list>>;
	for (let page: Page | undefined; !page?.list_complete;) {
		const cursor = page?.cursor ?? null;
		page = await patiently(() => env.PLANTS.list({ cursor }));
		for (let from = 0; from < page.keys.length; from += AT_ONCE) {
			const part = page.keys.slice(from, from + AT_ONCE);
			const get = async (key: string) => [key, await patiently(() => env.PLANTS.get(key))] as const;
			yield await Promise.all(part.map(({ name }) => get(name)));
		}
	}
	await dispose();
}
