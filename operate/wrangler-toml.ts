// What the commands need to know from wrangler.toml. (Loading Wrangler's own reader would take each of them a second.)
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import * as z from "zod/mini";

const Config = z.object({
	name: z.string(),
	compatibility_date: z.string(),
	account_id: z.optional(z.string()),
	env: z._default(z.record(z.string(), z.unknown()), {}),
});

/**
 * The configuration in this folder.
 *
 * @throws Error, of one line, if wrangler.toml is missing or invalid
 */
export function readConfig() {
	try {
		return z.parse(Config, parse(readFileSync("wrangler.toml", "utf8")));
	} catch (error) {
		const [issue] = error instanceof z.core.$ZodError ? error.issues : [];
		const problem = issue ? `${issue.path.join(".")}: ${issue.message}` : `${error}`;
		throw new Error(`wrangler.toml can't be read: ${problem.split("\n")[0]}`);
	}
}

/** The environments in wrangler.toml, without production, which is its top level. */
export const environments = () => Object.keys(readConfig().env);

/**
 * The name of the Worker of an environment; that of production for "".
 *
 * @throws Error for an environment that wrangler.toml does not have
 */
export function workerOf(env: string): string {
	const { name } = readConfig();
	if (!env) return name;
	const known = environments();
	if (known.includes(env)) return `${name}-${env}`;
	throw new Error(
		`wrangler.toml has no [env.${env}]. Its environments: ${known.join(", ") || "none"}.`,
	);
}
