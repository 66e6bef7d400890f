// The command line of deploy, export and restore, and what they say of a failure.
import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads options and positional arguments.
 *
 * @throws Error for an unknown option, with the usage
 */
export function parseOptions<T extends ParseArgsConfig>(config: T, usage: string) {
	try {
		return parseArgs(config);
	} catch (error) {
		// Its first sentence: the rest is about arguments that begin with a dash.
		throw new Error(`${messageOf(error).split(". ")[0]}. Usage: ${usage}`);
	}
}

/** Those of some options that npm kept for itself, since they came before `--`. Only its environment variables tell. */
export function keptByNpm(names: string[]): string[] {
	return names
		.filter((name) => process.env[`npm_config_${name.replaceAll("-", "_")}`])
		.map((name) => `--${name}`);
}

/** The message of whatever was thrown, with that of its cause: fetch says only there why it failed, once an address. */
export function messageOf(thrown: unknown): string {
	if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join(", ");
	if (!(thrown instanceof Error)) return `${thrown}`;
	const { message, cause } = thrown;
	return cause instanceof Error ? `${message}, ${messageOf(cause)}` : message;
}
