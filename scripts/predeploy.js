// The first step of `npm run deploy`: it refuses options that npm kept, and uncommitted changes.
// The project's own Node may be missing, so this is JavaScript, which any Node runs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

// Options of `wrangler deploy`. Without `--`, npm keeps them, and calls -c `call`. (It drops -e.)
const OPTIONS = `alias assets bundle call compatibility-date compatibility-flags config cwd define
	dispatch-namespace domain domains dry-run env env-file keep-vars latest minify name profile route
	routes secrets-file site strict triggers tsconfig var`;

/** @param {string} reason */
function refuse(reason) {
	console.error(`Not deployed: ${reason}`);
	process.exit(1);
}

for (const option of OPTIONS.split(/\s+/)) {
	const isKept = `npm_config_${option.replaceAll("-", "_")}` in process.env;
	if (isKept) refuse(`npm kept the option "${option}". Type: npm run deploy -- <options>`);
}

// Only this folder's own repository: a parent's may not know these files.
if (existsSync(".git")) {
	// By a shell, which says so if git is missing.
	const git = "git --git-dir=.git status --short --untracked-files=all";
	const { status, stdout, stderr } = spawnSync(git, { shell: true, encoding: "utf8" });
	if (status !== 0) refuse(`git status failed: ${stderr}`);
	if (stdout) refuse(`these files are not committed. Commit them, or git stash -u:\n${stdout}`);
}
