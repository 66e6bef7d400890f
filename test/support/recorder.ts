// Stands in for npm and Wrangler: writes down how it was called, in a line of the file that RECORD names, and does what
// files in the current folder ask for by their names: `npm-fails`, `wrangler-writes-back` and so on.
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A call of npm or Wrangler. */
export interface Call {
	command: string;
	args: string[];
	env: Record<string, string>;
	/** The file of secrets that Wrangler was given. */
	secrets?: { file: string; content: string };
	/** The configuration that Wrangler was given. */
	config?: string;
}

if (import.meta.main) {
	const [, , command = "", ...args] = process.argv;
	const { RECORD = "", PATH: _, HOME: __, ...env } = process.env;
	const option = (name: string) =>
		args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
	const call = { command, args, env };
	if (command === "wrangler") {
		const file = option("--secrets-file");
		Object.assign(call, {
			secrets: { file, content: readFileSync(file, "utf8") },
			config: readFileSync(option("--config"), "utf8"),
		});
		if (existsSync("wrangler-writes-back")) appendFileSync(option("--config"), "# an id\n");
		const deployed = { type: "deploy", version_id: "v1", targets: ["https://plants.example.com"] };
		// Its launcher still exits with 0.
		const end = existsSync("wrangler-is-killed") ? -1 : undefined;
		const line = JSON.stringify(deployed).slice(0, end);
		appendFileSync(process.env["WRANGLER_OUTPUT_FILE_PATH"] ?? "", line);
	}
	if (existsSync(`${command}-edits`)) appendFileSync("wrangler.toml", "# an edit\n");
	if (existsSync(`${command}-edits-token`)) appendFileSync(".env.production", "x");
	appendFileSync(RECORD, `${JSON.stringify(call)}\n`);
	if (existsSync(`${command}-waits`)) await new Promise((done) => setTimeout(done, 60_000));
	if (existsSync(`${command}-fails`)) process.exit(7);
}
