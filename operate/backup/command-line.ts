// Reads the command line of export and restore, and notices what was forgotten in it.
import { keptByNpm, messageOf, parseOptions } from "../options.ts";
import { environments, workerOf } from "../wrangler-toml.ts";
import { openDeployed } from "./deployed-kv.ts";
import { openLocal } from "./local-kv.ts";

const OPTIONS = {
	remote: { type: "boolean" },
	env: { type: "string" },
	into: { type: "string" },
} as const;

/**
 * Reads `FILE` for the KV of `npm run dev`, or `FILE --remote [--env NAME]` for a deployed one, into which
 * a restore writes only with `--into WORKER`. Returns the file, what messages call the KV, and how to open it.
 * Anything else ends the process with the status 1, after saying which command was probably meant.
 */
export function commandLine(command: "export" | "restore") {
	try {
		return parse(command);
	} catch (error) {
		console.error(messageOf(error));
		return process.exit(1);
	}
}

function parse(command: "export" | "restore") {
	const usage = `npm run ${command} -- plants.jsonl [--remote [--env NAME]${command === "restore" ? " --into WORKER" : ""}]`;
	const { values, positionals } = parseOptions({ options: OPTIONS, allowPositionals: true }, usage);
	const { remote = false, env = "", into } = values;
	const [file = "plants.jsonl"] = positionals;
	const kept = keptByNpm(Object.keys(OPTIONS));
	workerOf(env);

	// An environment may be named by its Worker, and its name may be all that npm left of --env.
	const words = [into, ...positionals.slice(1)];
	const isMeant = (name: string) => words.includes(name) || words.includes(workerOf(name));
	const meant = env || environments().find(isMeant) || "";
	const worker = workerOf(meant);
	const deployed = remote || env || into || kept.length;
	const right = [
		`npm run ${command} -- ${file}`,
		...(deployed ? ["--remote"] : []),
		...(meant ? [`--env ${meant}`] : []),
		...(deployed && command === "restore" ? [`--into ${worker}`] : []),
	].join(" ");
	const problem = [
		kept.length > 0 && `npm took ${kept.join(" and ")} for itself. Put -- before the options.`,
		positionals.length !== 1 && "Name one file.",
		command === "export" && into !== undefined && "Only a restore takes --into.",
		(env || into !== undefined) && !remote && "--env and --into are for a deployed KV.",
		command === "restore" &&
			remote &&
			(meant !== env || into !== worker) &&
			`This replaces plants with the same ids in the KV of ${worker}. Name it with --into.`,
	].find(Boolean);
	if (problem) throw new Error(`${problem}\nNothing was done. You probably mean: ${right}`);
	return {
		file,
		kv: remote ? `the KV of ${worker}` : "the KV of npm run dev",
		open: () => (remote ? openDeployed(worker) : openLocal()),
	};
}
