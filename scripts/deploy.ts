// `npm run deploy` checks, tests and deploys main, as it is at origin. `npm run deploy:untested` deploys
// the commit that is checked out, HEAD, at once. Options after `--` go to Wrangler.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const [source, ...options] = process.argv.slice(2);

// A signal ends the command that is running.
const interrupted = new AbortController();
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => interrupted.abort());

// In the home, because some systems let no program run in the folder of temporary files.
const folder = mkdtempSync(join(homedir(), "plant-store-deploy-"));

/** Runs a command in the folder, and waits for its end. Throws if it fails, or gets a signal. */
async function run(command: string, ...args: string[]) {
	const child = spawn(command, args, { cwd: folder, stdio: "inherit", signal: interrupted.signal });
	child.on("error", ({ message }) => console.error(message));
	const status = await new Promise((resolve) => child.on("close", resolve));
	// After a signal, Wrangler's status is 0.
	if (status === 0 && !interrupted.signal.aborted) return;
	throw new Error(`${[command, ...args].join(" ")} has failed.`);
}

/** Returns what a command of Git prints in the clone. Throws an Error with what it complains of. */
const git = (...args: string[]) =>
	execFileSync("git", args, { stdio: "pipe", maxBuffer: Infinity });

/** Fills the folder, and deploys from it. Throws if that can't begin. Otherwise, Wrangler has said all. */
async function deploy() {
	// Without `--` before them, npm keeps these options, and Wrangler would not see them.
	if (process.env["npm_config_dry_run"] || process.env["npm_config_env"]) {
		throw new Error("write -- before the options, as in npm run deploy -- --dry-run.");
	}
	if (source === "main") git("fetch", "origin", "refs/heads/main");
	const revision = source === "main" ? "FETCH_HEAD" : "HEAD";
	const commit = git("rev-parse", revision).toString().trim();
	console.log(`Deploying ${source}: ${git("log", "-1", "--oneline", commit).toString()}`);
	// Without a package.json, npm would install in a folder above that has one.
	git("cat-file", "-e", `${commit}:./package.json`);
	execFileSync("tar", ["-xf", "-"], { cwd: folder, input: git("archive", commit) });
	await run("npm", "ci", "--prefer-offline");
	if (source === "main") {
		await run("npm", "run", "check");
		await run("npm", "test");
	}
	// Wrangler reads it, and no commit has it.
	if (existsSync(".env")) copyFileSync(".env", join(folder, ".env"));
	// npx would keep a signal for itself.
	const wrangler = join(folder, "node_modules/.bin/wrangler");
	// Without --config, Wrangler would also look in the home.
	const args = ["deploy", "--config", "wrangler.toml", "--message", commit, ...options];
	await run(wrangler, ...args).catch(() => {
		process.exitCode = 1;
	});
}

await deploy().catch(({ message }: Error) => {
	console.error(`Not deployed: ${message}`);
	process.exitCode = 1;
});
rmSync(folder, { recursive: true, force: true });
