// What the commands need to know of wrangler.toml. (Wrangler's own reader would take each of them a second to load.)
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import * as z from "zod/mini";

const Config = z.object({
	name: z.string(),
	compatibility_date: z.string(),
	account_id: z.optional(z.string()),
	kv_namespaces: z.array(z.object({ binding: z.string(), id: z.optional(z.string()) })),
	env: z.record(z.string(), z.unknown()),
});

/** The configuration in this folder. */
export const readConfig = () => z.parse(Config, parse(readFileSync("wrangler.toml", "utf8")));

/**
 * The name of the Worker of an environment; that of production for "".
 *
 * @throws Error for an environment that wrangler.toml does not have
 */
export function workerOf(env: string): string {
	const config = readConfig();
	if (!env) return config.name;
	if (!(env in config.env)) throw new Error(`wrangler.toml has no environment [env.${env}].`);
	return `${config.name}-${env}`;
}
