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

/** What each script refuses: what is done in the clone, and the reason that is printed. */
const refusedByBoth: [string, string, RegExp][] = [
	["a changed line", "echo '// More' >> src/index.ts", /commit these files.*\nsrc\/index\.ts\n/],
	["a staged line", "echo >> src/index.ts; git add .", /commit these files.*\nsrc\/index\.ts\n/],
	["a new file", "touch 'src/größe 2.ts'", /commit these files.*\n.*src\/.+ 2\.ts/],
	[
		"a file that only the user's Git ignores",
		"mkdir lib; touch lib/a.ts; echo lib/ > .git/info/exclude",
		/commit these files.*\n.*lib\/a\.ts/,
	],
	["no repository", "rm -rf .git", /run this in a clone/],
	[
		"a folder inside another repository",
		"rm -rf .git; git init -qb main ..; git -C .. commit -q --allow-empty -m Other",
		/run this in a clone/,
	],
];
const refusedByDeploy: typeof refusedByBoth = [
	["a commit that isn't pushed", "git commit -q --allow-empty -m New", /main at origin is another/],
	[
		"a commit that only a local branch origin/main has",
		"git commit -q --allow-empty -m New; git branch -q origin/main",
		/main at origin is another/,
	],
	[
		"an older commit than main at origin",
		"git commit -q --allow-empty -m New; git push -q; git reset -q --hard HEAD^",
		/main at origin is another/,
	],
	[
		"an origin without main",
		"git -C ../origin.git branch -qm other",
		/origin cannot be reached, or has no branch main/,
	],
	["an origin that cannot be reached", "rm -rf ../origin.git", /origin cannot be reached/],
];

describe.each([
	["deploy", [...refusedByBoth, ...refusedByDeploy]],
	["deploy:untested", refusedByBoth],
])("%s refuses, before it starts anything,", (script, rows) => {
	it.each(rows)("%s", async (_, commands, reason) => {
		sh(commands);
		const stderr = expect.stringMatching(new RegExp(`^(.*\n)*Not deployed: ${reason.source}`));
		await expect(run(script)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
	});
	it.each([{ npm_config_dry_run: "true" }, { npm_config_env: "staging" }])(
		"what npm has kept for itself: %j",
		async (kept) => {
			const stderr = expect.stringMatching(/^Not deployed: write -- before the options/);
			await expect(run(script, "", kept)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
		},
	);
	it("packages that are not those of package.json", async () => {
		const stderr = expect.stringMatching(/^Not deployed: run npm ci/);
		const result = run(script, "", { FAILING: "ls" });
		await expect(result).rejects.toMatchObject({ code: 1, stdout: "", stderr });
	});
});

describe("deploy refuses what happens while it tests", () => {
	it.each([
		["a commit", "echo '// New' >> src/index.ts; git commit -qam New", /commit these files/],
		["a pushed commit", "git commit -q --allow-empty -m New; git push -q", /main at origin/],
		["another branch", "git switch -qc other; git rm -q src/index.ts", /commit these files/],
		["a new file", "touch src/new.ts", /commit these files/],
	])("%s", async (_, IN_TEST, reason) => {
		const stdout = "npm run check\nnpm run test\n";
		const stderr = expect.stringMatching(new RegExp(`^Not deployed: .*${reason.source}`));
		await expect(run("deploy", "", { IN_TEST })).rejects.toMatchObject({ code: 1, stdout, stderr });
	});
	it.each(["run check", "run test"])("a failure of npm %s", async (FAILING) => {
		const stdout = expect.not.stringContaining("wrangler");
		const stderr = `Not deployed: npm ${FAILING} has failed.\n`;
		await expect(run("deploy", "", { FAILING })).rejects.toMatchObject({ code: 1, stdout, stderr });
	});
});
