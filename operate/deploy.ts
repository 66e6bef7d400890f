// `npm run deploy` checks, tests, and uploads the Worker together with its bearer token from .env.production;
// `npm run deploy -- --env staging` does the same for the environment staging, from .env.staging.
// `--dry-run` stops before the upload. Nothing is run while the token is missing, weak or used elsewhere.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { workerOf } from "./wrangler-toml.ts";

/** The shortest bearer token that may go live, in characters. */
const MIN_LENGTH = 32;

/** Matches the value of ACCESS_TOKEN: bearer tokens as RFC 6750, section 2.1, has them, separated by commas. */
const TOKENS = /^[\w.~+/-]+=*( *, *[\w.~+/-]+=*)*$/;

function refuse(reason: string): never {
	console.error(`Not deployed: ${reason}`);
	process.exit(1);
}

/** The values of ACCESS_TOKEN in a file of variables, to the letter; no file has none. */
function accessTokens(file: string): string[] {
	if (!readdirSync(".").includes(file)) return [];
	const lines = readFileSync(file, "utf8").split(/\r?\n/);
	return lines.flatMap((line) => /^\s*(?:export\s+)?ACCESS_TOKEN\s*=(.*)$/.exec(line)?.[1] ?? []);
}

const split = (value: string) => value.split(",").map((token) => token.trim());

/** The checked value of ACCESS_TOKEN for an environment. */
function checkedSecret(file: string): string {
	const [secret = "", ...more] = accessTokens(file);
	const how = `Make one with: echo "ACCESS_TOKEN=$(openssl rand -hex 32)" > ${file}`;
	if (more.length > 0) refuse(`${file} has several lines with ACCESS_TOKEN.`);
	if (!secret) refuse(`${file} must have a line ACCESS_TOKEN=…\n${how}`);
	if (!TOKENS.test(secret)) {
		refuse(
			`ACCESS_TOKEN in ${file} must be bearer tokens of letters, digits and -._~+/ (RFC 6750), separated by commas, without quotes or comments.\n${how}`,
		);
	}
	const tokens = split(secret);
	if (tokens.some((token) => token.length < MIN_LENGTH)) {
		refuse(`each token in ${file} must have ${MIN_LENGTH} characters or more.\n${how}`);
	}
	for (const other of readdirSync(".").filter((name) => name.startsWith(".env") && name !== file)) {
		const known = accessTokens(other).flatMap(split);
		if (tokens.some((token) => known.includes(token))) {
			refuse(`${file} has a token of ${other}. Each environment needs its own.\n${how}`);
		}
	}
	return secret;
}

/** Runs a command, and ends this one with its status where that is not 0. */
function run(command: string, args: string[], env: NodeJS.ProcessEnv) {
	const shell = process.platform === "win32";
	const { status } = spawnSync(command, args, { stdio: "inherit", shell, env });
	if (status !== 0) {
		console.error(`Not deployed: ${command} ${args[0]} failed. See docs/operating.md.`);
		process.exit(status ?? 1);
	}
}

function options() {
	try {
		const env = { type: "string", default: "" } as const;
		return parseArgs({ options: { env, "dry-run": { type: "boolean" } } }).values;
	} catch (error) {
		return refuse(
			`${error instanceof Error ? error.message : error}\nOptions are --env and --dry-run; all else belongs in wrangler.toml.`,
		);
	}
}

const { env: environment, "dry-run": dryRun } = options();
const config = readFileSync("wrangler.toml", "utf8");
try {
	workerOf(environment);
} catch (error) {
	refuse(`${error instanceof Error ? error.message : error}`);
}
const secret = checkedSecret(`.env.${environment || "production"}`);

// Checks and tests need no credentials, and neither do the packages that they run.
const credentials = /^(ACCESS_TOKEN$|CLOUDFLARE_|CF_)/;
const bare = Object.fromEntries(
	Object.entries(process.env).filter(([name]) => !credentials.test(name)),
);
run("npm", ["run", "check"], bare);
run("npm", ["test"], bare);

const { ACCESS_TOKEN: _, ...inherited } = process.env;
const folder = mkdtempSync(join(tmpdir(), "plant-store-deploy-"));
process.once("exit", () => {
	rmSync(folder, { recursive: true });
	// In a terminal, Wrangler may write the namespace's id into its configuration, where nobody else's
	// deploy could use it. Later deploys find the namespace through the deployed Worker.
	if (readFileSync("wrangler.toml", "utf8") !== config) writeFileSync("wrangler.toml", config);
});
// Ctrl-C ends Wrangler, and then this.
process.on("SIGINT", () => {});
const secrets = join(folder, "secrets.json");
// As JSON: in any other format Wrangler expands $ and prefers variables of the environment.
writeFileSync(secrets, JSON.stringify({ ACCESS_TOKEN: secret }), { mode: 0o600 });
run(
	"wrangler",
	["deploy", `--env=${environment}`, "--secrets-file", secrets, ...(dryRun ? ["--dry-run"] : [])],
	{ ...inherited, WRANGLER_SEND_METRICS: "false" },
);
