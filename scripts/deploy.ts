// `npm run deploy` checks, tests and deploys one commit, which must be main at origin.
// `npm run deploy:untested` deploys any commit at once. Options after `--` go to Wrangler.
import { spawnSync } from "node:child_process";

const args = process.argv.slice(2);
const isUntested = args.includes("--untested");
const options = args.filter((arg) => arg !== "--untested");

function refuse(reason: string): never {
	console.error(`Not deployed: ${reason}`);
	process.exit(1);
}

/** Returns what a command prints. Refuses, for this reason, if it fails. */
function read(command: string, reason = `${command} has failed.`): string {
	const [program = "", ...words] = command.split(" ");
	const { status, stdout } = spawnSync(program, words, {
		encoding: "utf8",
		stdio: ["inherit", "pipe", "inherit"],
	});
	if (status !== 0) refuse(reason);
	return stdout.trim();
}

/**
 * Refuses unless the folder has this commit and nothing else that a bundle may contain, with the
 * packages that it needs. Unless it is deployed untested, the commit must be main at origin, too.
 */
function requireCommit(commit: string) {
	read("npm ls", "run npm ci: the installed packages are not those of package.json.");
	const changed = read(`git diff --name-only ${commit}`);
	// Also those that only the user's own configuration of Git ignores.
	const added = read("git ls-files --others --exclude-from=.gitignore --exclude=.*");
	const files = `${changed}\n${added}`.trim();
	if (files) refuse(`commit or undo what differs from commit ${commit}:\n${files}`);
	if (isUntested) return;
	const ask = "git ls-remote --exit-code origin refs/heads/main";
	const main = read(ask, "origin cannot be reached, or has no branch main.");
	if (!main.startsWith(commit)) refuse("main at origin is another commit. Pull, or push this one.");
}

// Without `--`, npm keeps these options, and the deploy would be another one.
if (process.env["npm_config_dry_run"] || process.env["npm_config_env"]) {
	refuse("write -- before the options, as in npm run deploy -- --dry-run.");
}
read("git ls-files --error-unmatch package.json", "run this in a clone of the repository.");
const commit = read("git rev-parse HEAD");
if (!isUntested) {
	requireCommit(commit);
	for (const script of ["check", "test"]) {
		const { status } = spawnSync("npm", ["run", script], { stdio: "inherit" });
		if (status !== 0) refuse(`npm run ${script} has failed.`);
	}
}
requireCommit(commit);
const deploy = ["deploy", "--message", commit, ...options];
const { status } = spawnSync("wrangler", deploy, { stdio: "inherit" });
process.exitCode = status ?? 1;
