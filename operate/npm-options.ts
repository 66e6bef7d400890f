// What npm does with options that are typed before its `--`: it keeps them, and says so in the environment alone.

/** Those of some options that npm has kept, as they were typed. The command does not see them. */
export function keptByNpm(names: string[]): string[] {
	return names
		.filter((name) => process.env[`npm_config_${name.replaceAll("-", "_")}`])
		.map((name) => `--${name}`);
}
