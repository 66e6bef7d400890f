// `npm run deploy` checks, tests, and uploads the Worker together with its bearer token from .env.production;
// `npm run deploy -- --env staging` does the same for the environment staging, from .env.staging.
// `--dry-run` stops before the upload. Nothing is run while the token is missing, weak or used elsewhere.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import * as z from "zod/mini";
import { keptByNpm, messageOf, parseOptions } from "./options.ts";
import { environments, workerOf } from "./wrangler-toml.ts";

/** The shortest bearer token that may go live, in characters. */
const MIN_LENGTH = 32;

/** Matches the value of ACCESS_TOKEN: bearer tokens (RFC 6750, section 2.1) separated by commas. */
const TOKENS = /^[\w.~+/-]+=*( *, *[\w.~+/-]+=*)*$/;

/** The bearer tokens in a file of variables, however it writes them; none if there is no such file. */
function tokensIn(file: string): string[] {
	const content = existsSync(file) ? readFileSync(file, "utf8") : "";
	const values = content.matchAll(/^\s*(?:export\s+)?ACCESS_TOKEN\s*=(.*)$/gm);
	return [...values].flatMap(([, value = ""]) => value.split(",").map((token) => token.trim()));
}

/**
 * The value of ACCESS_TOKEN in the file of an environment.
 *
 * @throws Error where it is missing, weak or used elsewhere, or something else is in the file
 */
function checkedSecret(file: string): string {
	const how = `Make one with: (umask 077; echo "ACCESS_TOKEN=$(openssl rand -hex 32)" > ${file})`;
	if (!existsSync(file)) throw new Error(`there is no ${file}.\n${how}`);
	const [, secret] = /^ACCESS_TOKEN=(.*)\r?\n?$/.exec(readFileSync(file, "utf8")) ?? [];
	if (!secret)
		throw new Error(`${file} must be one line, ACCESS_TOKEN=…, and nothing else.\n${how}`);
	if (!TOKENS.test(secret)) {
		throw new Error(
			`ACCESS_TOKEN in ${file} must be bearer tokens of letters, digits and -._~+/ (RFC 6750), separated by commas, without quotes or comments.\n${how}`,
		);
	}
	const tokens = tokensIn(file);
	if (tokens.some((token) => token.length < MIN_LENGTH)) {
		throw new Error(`each token in ${file} must have ${MIN_LENGTH} characters or more.\n${how}`);
	}
	for (const other of ["example", "production", ...environments()].map((name) => `.env.${name}`)) {
		const known = other === file ? [] : tokensIn(other);
		if (tokens.some((token) => known.includes(token))) {
			throw new Error(`${file} has a token of ${other}. Each environment needs its own.\n${how}`);
		}
	}
	return secret;
}

/** Runs a command, and resolves to whether it succeeded. A signal to this process ends it, which is a failure. */
async function succeeds(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
	const child = spawn(command, args, { stdio: "inherit", env });
	let interrupted = false;
	for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
		process.on(signal, () => {
			interrupted = true;
			child.kill();
		});
	}
	const [status] = await once(child, "exit");
	return status === 0 && !interrupted;
}

/** How Wrangler reports a deployment, in the file that WRANGLER_OUTPUT_FILE_PATH names. */
const Deployment = z.object({
	type: z.literal("deploy"),
	version_id: z.nullable(z.string()),
	targets: z.optional(z.array(z.string())),
});

/** What Wrangler has deployed; undefined if it did not report that, or was killed while it did. */
function deployment(output: string) {
	try {
		const lines = readFileSync(output, "utf8").trim().split("\n");
		return lines.map((line) => z.safeParse(Deployment, JSON.parse(line)).data).find(Boolean);
	} catch {
		return undefined;
	}
}

async function deploy() {
	const kept = keptByNpm(["env", "dry-run"]).join(" and ");
	if (kept)
		throw new Error(`npm took ${kept} for itself. Put -- before it: npm run deploy -- ${kept}`);
	const options = { env: { type: "string", default: "" }, "dry-run": { type: "boolean" } } as const;
	const usage = "npm run deploy -- [--env NAME] [--dry-run]. All else belongs in wrangler.toml.";
	const { env, "dry-run": dryRun } = parseOptions({ options }, usage).values;
	const worker = workerOf(env);
	const file = `.env.${env || "production"}`;
	const secret = checkedSecret(file);

	console.log("Checks and tests come first, for about a minute. The upload begins when they pass.");
	// They need no credentials, and neither do the packages that they run.
	const credentials = /^(ACCESS_TOKEN$|CLOUDFLARE_|CF_)/;
	const bare = Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !credentials.test(name)),
	);
	for (const args of [["run", "check"], ["test"]]) {
		if (!(await succeeds("npm", args, bare))) throw new Error(`npm ${args.join(" ")} failed.`);
	}
	if (checkedSecret(file) !== secret) throw new Error(`${file} has changed meanwhile.`);

	// Wrangler gets a copy of wrangler.toml, beside it: in a terminal, it may write the namespace's id into the file,
	// where nobody else's deploy could use it. Later deploys find the namespace through the deployed Worker.
	const config = "wrangler.deploy.toml";
	const output = "dist/deploy.jsonl";
	const remove = () => {
		for (const name of [config, output]) rmSync(name, { force: true });
	};
	remove();
	process.once("exit", remove);
	copyFileSync("wrangler.toml", config);
	// Wrangler prefers variables of the environment to those in the file of secrets. It would also take them from .env.
	const { ACCESS_TOKEN: _, ...inherited } = process.env;
	const succeeded = await succeeds(
		"wrangler",
		[
			"deploy",
			`--config=${config}`,
			`--env=${env}`,
			`--secrets-file=${file}`,
			`--env-file=${file}`,
			...(dryRun ? ["--dry-run"] : []),
		],
		{ ...inherited, WRANGLER_SEND_METRICS: "false", WRANGLER_OUTPUT_FILE_PATH: output },
	);
	if (dryRun && succeeded) return "Dry run: nothing has changed.";
	if (dryRun) throw new Error("wrangler deploy --dry-run failed.");
	// Wrangler exits with 0 even when it was killed.
	const deployed = deployment(output);
	if (succeeded && deployed) {
		const where = deployed.targets?.join(", ") || "no address";
		return `\nLive: ${worker}, version ${deployed.version_id}, at ${where}.\nTo go back, deploy an older commit: see docs/operating.md.`;
	}
	console.error(
		`\nwrangler deploy failed. Before the upload of the Worker nothing has changed; after it, the new version may be live, perhaps without an address.\nTo see what is live: npx wrangler deployments list${env && ` --env ${env}`}\nFix the problem above, then run npm run deploy again.`,
	);
	return process.exit(1);
}

try {
	console.log(await deploy());
} catch (error) {
	console.error(`Not deployed: ${messageOf(error)}`);
	console.error("Nothing has changed online.");
	process.exitCode = 1;
}
