// The options of the backup and the restore.
import { existsSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** The options that say which KV, for parseArgs. */
export const kvOptions = {
	remote: { type: "boolean" },
	local: { type: "boolean" },
	env: { type: "string", short: "e" },
} as const;

/** Prints the usage, and exits: with 0 only if it was asked for. */
export function exitWithUsage(usage: string): never {
	console.error(usage);
	process.exit(process.argv.includes("--help") ? 0 : 1);
}

/** Parses the command line. Exits with the usage if an option is unknown, or has no value. */
export function readOptions<Config extends ParseArgsConfig>(usage: string, config: Config) {
	// Without `--` before them, npm keeps options for itself.
	const isKept = (name: string) => `npm_config_${name}` in process.env;
	if (Object.keys(config.options ?? {}).some(isKept)) exitWithUsage(usage);
	try {
		return parseArgs(config);
	} catch {
		return exitWithUsage(usage);
	}
}

/**
 * Returns the environment, which for production is "", and the options that tell Wrangler which KV.
 * Exits with the usage if `values` doesn't say which.
 */
export function pickKv(usage: string, values: { remote?: boolean; local?: boolean; env?: string }) {
	if (existsSync(".env")) process.loadEnvFile();
	const environment = values.env ?? process.env["CLOUDFLARE_ENV"] ?? "";
	// Without --remote and --local, Wrangler would take the local KV.
	if (values.remote === values.local) exitWithUsage(usage);
	if (!/^[\w-]*$/.test(environment)) exitWithUsage(usage);
	return { environment, target: [values.local ? "--local" : "--remote", `--env=${environment}`] };
}
