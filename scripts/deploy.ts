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

// For the commit's files and packages. (Some systems let no program run in the folder of temporary
// files.)
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

/** Returns what a command of Git prints in the clone. Throws what it complains of. */
const git = (...args: string[]) =>
	execFileSync("git", args, { stdio: "pipe", maxBuffer: Infinity });

/** Fills the folder, and deploys from it. Throws if nothing was sent. */
async function deploy() {
	// Without `--`, npm keeps these options, and the deploy would be another one.
	if (process.env["npm_config_dry_run"] || process.env["npm_config_env"]) {
		throw new Error("write -- before the options, as in npm run deploy -- --dry-run.");
	}
	if (source === "main") git("fetch", "origin", "refs/heads/main");
	const commit = git("rev-parse", source === "main" ? "FETCH_HEAD" : "HEAD")
		.toString()
		.trim();
	console.log(`Deploying ${source}: ${git("log", "-1", "--oneline", commit).toString()}`);
	// Without one, npm would look in the folders above, and install there.
	git("cat-file", "-e", `${commit}:./package.json`);
	execFileSync("tar", ["-x"], { cwd: folder, input: git("archive", commit) });
	await run("npm", "ci", "--prefer-offline");
	if (source === "main") {
		await run("npm", "run", "check");
		await run("npm", "test");
	}
	// What Wrangler reads, and no commit has.
	if (existsSync(".env")) copyFileSync(".env", join(folder, ".env"));
	// By its path: npx would keep a signal for itself. By its name: the home may have another one.
	const wrangler = join(folder, "node_modules/.bin/wrangler");
	const args = ["deploy", "--config", "wrangler.toml", "--message", commit, ...options];
	// Wrangler's words are the last.
	await run(wrangler, ...args).catch(() => {
		process.exitCode = 1;
	});
}

await deploy().catch(({ message }: Error) => {
	console.error(`Not deployed: ${message}`);
	process.exitCode = 1;
});
rmSync(folder, { recursive: true, force: true });
