// `npm run deploy` deploys main, as it is at origin, after its checks and the tests of its code.
// `npm run deploy:untested` deploys HEAD, the commit that is checked out. Options after `--` go to Wrangler.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const [source, ...options] = process.argv.slice(2);

// In the home, because some systems let no program run in the folder of temporary files.
const folder = mkdtempSync(join(homedir(), "plant-store-deploy-"));
/** The process group of the command that is running: the command, and all that it has started. */
let group: number | undefined;

process.on("exit", () => {
	if (group) {
		process.kill(-group, "SIGKILL");
		// Vitest hides the cursor of a terminal.
		if (process.stderr.isTTY) process.stderr.write("\u001b[?25h");
	}
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP"]) {
	process.on(signal, () => fail("Interrupted. npx wrangler deployments list shows what is live."));
}

function fail(reason: string): never {
	console.error(reason);
	process.exit(1);
}

/** Returns what a command of Git prints in the clone. Throws an Error with what it complains of. */
const git = (...args: string[]) =>
	execFileSync("git", args, { stdio: "pipe", maxBuffer: Infinity });

/** Runs a command in the folder. Returns its status. Throws if it can't be started. */
async function run(command: string, args: string[]) {
	const child = spawn(command, args, { cwd: folder, stdio: "inherit", detached: true });
	group = child.pid;
	const [status]: (number | null)[] = await once(child, "close");
	group = undefined;
	return status ?? 1;
}

/** Fills the folder with the commit's files and packages, and returns the commit. Throws if it can't. */
async function prepare(): Promise<string> {
	// Without `--` before them, npm keeps these options, and Wrangler would not see them.
	if ("npm_config_dry_run" in process.env || "npm_config_env" in process.env) {
		throw new Error("write -- before the options, as in npm run deploy -- --dry-run.");
	}
	const ref = source === "main" ? "refs/remotes/origin/main" : "HEAD";
	if (source === "main") git("fetch", "origin", `+refs/heads/main:${ref}`);
	const commit = git("rev-parse", ref).toString().trim();
	console.log(`Deploying ${source}: ${git("log", "-1", "--oneline", commit).toString()}`);
	// Outside a repository, some tools would take settings from the folders above.
	git("init", "--quiet", folder);
	execFileSync("tar", ["-xf", "-"], { cwd: folder, input: git("archive", commit, ".") });
	const steps = source === "main" ? [["ci"], ["run", "check"], ["run", "test:code"]] : [["ci"]];
	// npm recommends this setting for a user's .npmrc. npm run hands it on, and npm ci refuses it from there.
	delete process.env["npm_config_allow_scripts"];
	for (const step of steps) {
		const status = await run("npm", step);
		if (status !== 0) throw new Error(`npm ${step.join(" ")} has failed.`);
	}
	// Only Wrangler needs it. No commit has it.
	if (existsSync(".env")) symlinkSync(resolve(".env"), join(folder, ".env"));
	return commit;
}

const commit = await prepare().catch(({ message }: Error) => fail(`Not deployed: ${message}`));
// Without --config, a wrangler.json would win, even one in the home.
const args = ["deploy", "--config", "wrangler.toml", "--message", commit, ...options];
process.exitCode = await run(join(folder, "node_modules/.bin/wrangler"), args);
