// `npm run deploy`: checks, tests, and uploads the Worker together with its secret, from .env.production.
// Nothing is run while the token there is missing, weak, or the one from .env.example.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

const FILE = ".env.production";

const tokens = (file: string) => {
	const { ACCESS_TOKEN = "" } = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
	return ACCESS_TOKEN.split(",").map((token) => token.trim());
};
const examples = tokens(".env.example");
if (tokens(FILE).some((token) => token.length < 32 || examples.includes(token))) {
	console.error(`Not deployed: ${FILE} must hold ACCESS_TOKEN=…, each token of 32 characters or more.
Make one with: echo "ACCESS_TOKEN=$(openssl rand -hex 32)" > ${FILE}`);
	process.exit(1);
}

function run(command: string, ...args: string[]) {
	const { status } = spawnSync(command, args, {
		stdio: "inherit",
		shell: process.platform === "win32",
	});
	if (status !== 0) process.exit(status ?? 1);
}
run("npm", "run", "check");
run("npm", "test");
run("wrangler", "deploy", "--secrets-file", FILE, ...process.argv.slice(2));
