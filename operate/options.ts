// The command line of deploy, export and restore.
import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads options and positional arguments.
 *
 * @throws Error for an option that there is not, with how the command is used
 */
export function parseOptions<T extends ParseArgsConfig>(config: T, usage: string) {
	try {
		return parseArgs(config);
	} catch (error) {
		// The first sentence: what follows is about arguments that begin with a dash.
		const [problem] = (error instanceof Error ? error.message : `${error}`).split(". ");
		throw new Error(`${problem}. Usage: ${usage}`);
	}
}

/** Those of some options that npm has kept, since they stood before its `--`: the environment alone tells. */
export function keptByNpm(names: string[]): string[] {
	return names
		.filter((name) => process.env[`npm_config_${name.replaceAll("-", "_")}`])
		.map((name) => `--${name}`);
}
