// `npm run deploy` and `npm run deploy:untested`: which commit is deployed, and what is refused.
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
	readFileSync("package.json", "utf8"),
);

/** A clone whose main is pushed to the bare repository `../origin.git`. */
let clone: string;
/** The commit at the head of main. */
let commit: string;
let env: Record<string, string | undefined>;

/** Runs shell commands in the clone. Returns what they print. */
const sh = (commands: string) =>
	execFileSync("sh", ["-ec", commands], { cwd: clone, env, encoding: "utf8", stdio: "pipe" });

beforeEach(() => {
	const folder = mkdtempSync(join(tmpdir(), "deploy-"));
	clone = join(folder, "clone");
	const programs = join(folder, "programs");
	for (const path of [programs, join(clone, "scripts"), join(clone, "src")]) {
		mkdirSync(path, { recursive: true });
	}
	// They print how they are called. With IN_TEST, something happens while npm tests.
	const npm = `#!/bin/sh\necho "npm $*"\n[ "$*" != "run test" ] || eval "$IN_TEST"\n[ "$*" != "$FAILING" ]\n`;
	const wrangler = `#!/bin/sh\necho "wrangler $*"\n[ "$FAILING" != wrangler ] || exit 3\n`;
	writeFileSync(join(programs, "npm"), npm, { mode: 0o700 });
	writeFileSync(join(programs, "wrangler"), wrangler, { mode: 0o700 });
	for (const name of ["package.json", ".gitignore", "scripts/deploy.ts"]) {
		copyFileSync(name, join(clone, name));
	}
	const user = { GIT_AUTHOR_NAME: "a", GIT_COMMITTER_NAME: "a", EMAIL: "a@example.com" };
	env = { ...process.env, ...user, PATH: `${programs}:${process.env["PATH"]}` };
	sh(`echo 'export default {};' > src/index.ts
		git init -qb main && git add . && git commit -qm All
		git init -qb main --bare ../origin.git && git remote add origin ../origin.git
		git push -qu origin main`);
	commit = sh("git rev-parse HEAD").trim();
});

/** Runs a script of package.json with these options, as npm does. */
const run = (script: string, options = "", more = {}) =>
	promisify(execFile)("sh", ["-c", `${scripts[script]} ${options}`], {
		cwd: clone,
		env: { ...env, ...more },
	});

it("deploy checks and tests, and then deploys the commit", async () => {
	const { stdout } = await run("deploy", "--env staging");
	const calls = [
		"npm run check",
		"npm run test",
		`wrangler deploy --message ${commit} --env staging`,
	];
	expect(stdout.trim().split("\n")).toEqual(calls);
});

it("deploy:untested deploys any commit, whatever origin has", async () => {
	sh("git remote remove origin && git commit -q --allow-empty -m Local");
	const { stdout } = await run("deploy:untested", "--env staging");
	const head = sh("git rev-parse HEAD").trim();
	expect(stdout).toBe(`wrangler deploy --message ${head} --env staging\n`);
});

it("files that the project ignores, or whose name begins with a dot, don't stop a deploy", async () => {
	sh("mkdir dist .vscode && touch dist/index.js .vscode/settings.json src/.DS_Store .env");
	const { stdout } = await run("deploy");
	expect(stdout).toContain(`wrangler deploy --message ${commit}\n`);
});

it("if Wrangler fails, so does the deploy, with Wrangler's status and words alone", async () => {
	const result = run("deploy", "", { FAILING: "wrangler" });
	await expect(result).rejects.toMatchObject({ code: 3, stderr: "" });
});

const notCommitted = "commit or undo what differs from commit \\w+:\n";
const noClone = "run this in a clone";
const notMain = "main at origin is another commit";
const commitMore = "git commit -q --allow-empty -m More";

describe.each(["deploy", "deploy:untested"])("%s refuses, before it starts anything,", (script) => {
	it.each([
		["a changed line", "echo >> src/index.ts", {}, `${notCommitted}src/index.ts`],
		["a new file", "touch src/new.ts", {}, `${notCommitted}src/new.ts\n`],
		[
			"a file that only the user's Git ignores",
			"mkdir lib; touch lib/a.ts; echo lib/ > .git/info/exclude",
			{},
			`${notCommitted}lib/a.ts\n`,
		],
		["no repository", "rm -rf .git", {}, noClone],
		["another one's folder", `rm -rf .git; cd ..; git init -qb main; ${commitMore}`, {}, noClone],
		["packages of another package.json", "", { FAILING: "ls" }, "run npm ci"],
		["--dry-run that npm has kept", "", { npm_config_dry_run: "true" }, "write -- before"],
		["--env that npm has kept", "", { npm_config_env: "staging" }, "write -- before"],
	])("%s", async (_, commands, more, reason) => {
		sh(commands);
		const stderr = expect.stringMatching(`Not deployed: ${reason}`);
		await expect(run(script, "", more)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
	});
});

describe("deploy refuses, before it starts anything,", () => {
	it.each([
		["a commit that isn't pushed", commitMore, notMain],
		["one that a local branch origin/main has", `${commitMore}; git branch origin/main`, notMain],
		["an old one", `${commitMore}; git push -q; git reset -q --hard HEAD^`, notMain],
		[
			"an origin without main",
			"git -C ../origin.git branch -m other",
			"origin cannot be reached, or",
		],
		["an origin out of reach", "rm -rf ../origin.git", "origin cannot be reached"],
	])("%s", async (_, commands, reason) => {
		sh(commands);
		const stderr = expect.stringMatching(`Not deployed: ${reason}`);
		await expect(run("deploy")).rejects.toMatchObject({ code: 1, stdout: "", stderr });
	});
});

describe("deploy refuses, after the tests,", () => {
	it.each([
		["a commit made meanwhile", "echo >> src/index.ts; git commit -qam New", notCommitted],
		["a commit pushed meanwhile", `${commitMore}; git push -q`, notMain],
		["a file made meanwhile", "touch src/new.ts", notCommitted],
	])("%s", async (_, IN_TEST, reason) => {
		const stdout = "npm run check\nnpm run test\n";
		const stderr = expect.stringMatching(`Not deployed: ${reason}`);
		await expect(run("deploy", "", { IN_TEST })).rejects.toMatchObject({ code: 1, stdout, stderr });
	});
});

it.each(["run check", "run test"])("if npm %s fails, nothing is deployed", async (FAILING) => {
	const stdout = expect.not.stringContaining("wrangler");
	const stderr = `Not deployed: npm ${FAILING} has failed.\n`;
	await expect(run("deploy", "", { FAILING })).rejects.toMatchObject({ code: 1, stdout, stderr });
});
