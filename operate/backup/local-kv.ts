// The KV of `npm run dev`, through the binding that Wrangler provides. `npm run dev` may be running meanwhile.
import type { KVNamespace } from "@cloudflare/workers-types";
import { type Namespace, parts } from "./namespace.ts";

/** How many keys to read or write at once: one each, since a get of several misses keys like "100". */
const AT_ONCE = 64;

/** Opens the local namespace of the wrangler.toml in this folder. */
export async function openLocal(): Promise<Namespace> {
	// Otherwise Wrangler says that the secret is missing, which nothing here needs.
	process.env["WRANGLER_LOG"] = "error";
	// The top level of wrangler.toml, as in npm run dev.
	process.env["CLOUDFLARE_ENV"] = "";
	const { getPlatformProxy } = await import("wrangler");
	const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>({
		configPath: "wrangler.toml",
		envFiles: [],
		remoteBindings: false,
	});
	return {
		async *keys() {
			for (let cursor: string | null = null; ;) {
				const page: Awaited<ReturnType<KVNamespace["list"]>> = await env.PLANTS.list({ cursor });
				yield page.keys.map(({ name }) => name);
				if (page.list_complete) return;
				cursor = page.cursor;
			}
		},
		async *read(keys) {
			for (const part of parts(keys, AT_ONCE)) {
				const values = await Promise.all(part.map((key) => env.PLANTS.get(key)));
				yield part.map((key, index) => [key, values[index] ?? null]);
			}
		},
		async *write(entries) {
			for (const part of parts(entries, AT_ONCE)) {
				await Promise.all(part.map(({ key, value }) => env.PLANTS.put(key, value)));
				yield part.length;
			}
		},
		close: dispose,
	};
}
