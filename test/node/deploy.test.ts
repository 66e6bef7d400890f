// `npm run deploy` and `npm run deploy:untested`, by the real npm and Git, of a small project. Its
// Wrangler prints how it is called, and what is in its folder.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { plainEnvironment } from "../support/environment.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const fakes = {
	check: 'echo Checked "$(git rev-parse --git-dir)" && [ "$FAILING" != check ]',
	"test:code": 'echo Tested && [ "$FAILING" != test ]',
};
const dependencies = { wrangler: "file:wrangler" };
const wrangler = `#!/bin/sh
echo wrangler "$@"
echo $(ls -A) and $(ls node_modules)
eval "$IN_WRANGLER"
`;

const folder = mkdtempSync(join(tmpdir(), "deploy-"));
const home = join(folder, "work/home of a user");
/** A clone whose main is pushed to `../origin.git`. */
const clone = join(folder, "work/clone");
const npm = { npm_config_offline: "1", npm_config_audit: "", npm_config_loglevel: "silent" };
const env = { ...plainEnvironment(home), ...npm };

/** Runs shell commands in the clone, or in another folder. Returns what they print. */
const sh = (commands: string, cwd = clone) =>
	execFileSync("sh", ["-ec", commands], { cwd, env, encoding: "utf8", stdio: "pipe" });

beforeAll(() => {
	cpSync("scripts", join(clone, "scripts"), { recursive: true });
	const project = { type: "module", scripts: { ...scripts, ...fakes }, dependencies };
	writeFileSync(join(clone, "package.json"), JSON.stringify(project));
	sh(`mkdir "$HOME" wrangler && printf 'node_modules\n.*' > .gitignore
		echo allow-scripts=esbuild > "$HOME/.npmrc"`);
	writeFileSync(join(clone, "wrangler/package.json"), '{"bin":{"wrangler":"cli"}}');
	writeFileSync(join(clone, "wrangler/cli"), wrangler, { mode: 0o700 });
	writeFileSync(join(clone, "large"), "x".repeat(2 ** 21));
	sh(`npm install && git init -qb main && git add . && git commit -qm First
		git clone -q --bare . ../origin.git && git remote add origin ../origin.git
		mv ../../work ../../first`);
});
beforeEach(() => {
	sh("rm -rf work && cp -R first work", folder);
});

/** Runs a script of package.json. NPM is npm's process id. Nothing may stay in the home. */
async function run(script: string, options: string[], variables = {}) {
	const command = ["-c", 'export NPM=$$; exec npm run "$@"', "sh", script, ...options];
	const result = promisify(execFile)("sh", command, { cwd: clone, env: { ...env, ...variables } });
	await result.catch(() => {});
	expect(readdirSync(home).join()).not.toContain("plant-store");
	return result;
}

it("deploy takes main as it is at origin, even after a forced push, and nothing else of the clone", async () => {
	sh(`git push -q origin main:refs/backup/refs/heads/main main:refs/tags/main
		touch new && git add new && git commit -qm Second && git push -q origin main
		git reset -q --hard HEAD^ && git commit -q --allow-empty -m Unpushed
		git update-ref refs/remotes/origin/main main
		mkdir -p .wrangler/deploy node_modules/foreign
		touch .env .wrangler/deploy/config.json untracked && echo exit 1 >> wrangler/cli`);
	const { stdout } = await run("deploy", ["--", "--env", "staging"]);
	const commit = sh("git rev-parse origin/main").trim();
	expect(stdout.split(/\n+/)).toEqual([
		`Deploying main: ${commit.slice(0, 7)} Second`,
		"Checked .git",
		"Tested",
		`wrangler deploy --config wrangler.toml --message ${commit} --env staging`,
		".env .git large new node_modules package-lock.json package.json scripts wrangler and wrangler",
		"",
	]);
	expect(sh("ls node_modules")).toBe("foreign\nwrangler\n");
});

it("deploy:untested takes the commit that is checked out, at once", async () => {
	sh(`git commit -q --allow-empty -m Third && git checkout -q --detach
		git remote remove origin`);
	const { stdout } = await run("deploy:untested", []);
	const commit = sh("git rev-parse HEAD").trim();
	expect(stdout).toMatch(/^Deploying HEAD: \w+ Third\n\nwrangler /);
	expect(stdout).toContain(`--message ${commit}\n`);
});

const push = "git commit -qam More && git push -q origin main";
const other = "rm -rf .git && cd .. && git init -qb main && git commit -q --allow-empty -m Other";
it.each([
	["the check fails", "deploy", "", { FAILING: "check" }, "npm run check has"],
	["a test fails", "deploy", "", { FAILING: "test" }, "npm run test:code has"],
	["npm fails", "deploy", `echo > package-lock.json && ${push}`, {}, "npm ci has"],
	["origin is out of reach", "deploy", "rm -rf ../origin.git", {}, "Command failed: git fetch"],
	["the repository is another's", "deploy:untested", other, {}, "Command failed: git archive"],
	["npm keeps --dry-run", "deploy", "", { npm_config_dry_run: "true" }, "write -- before"],
	["npm keeps --env", "deploy:untested", "", { npm_config_env: "" }, "write -- before"],
])("if %s, nothing is deployed", async (_, script, commands, variables, reason) => {
	sh(commands);
	const stdout = expect.not.stringContaining("wrangler deploy");
	const stderr = expect.stringMatching(`Not deployed: ${reason}`);
	await expect(run(script, [], variables)).rejects.toMatchObject({ code: 1, stdout, stderr });
});

it("if Wrangler fails, its words are the last", async () => {
	const result = run("deploy:untested", [], { IN_WRANGLER: "echo Refused >&2; exit 3" });
	await expect(result).rejects.toMatchObject({ code: 3, stderr: "Refused\n" });
});

const signals = ["$NPM", "-HUP $PPID", "-INT $PPID", "-QUIT $PPID", "-TSTP $PPID"];
it.each(signals)("kill %s ends everything: else, the output stays open", async (to) => {
	const result = run("deploy:untested", [], { IN_WRANGLER: `kill ${to}; sleep 600` });
	const stderr = expect.stringMatching(/^Interrupted/);
	await expect(result).rejects.toMatchObject({ code: 1, stderr });
});
