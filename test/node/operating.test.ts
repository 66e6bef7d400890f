// What an operator types that is the project's own: the deploy, and the monitor's line for crontab.
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { copyProject } from "../support/project.ts";
import { bundle, startWorkerd } from "../support/workerd.ts";

const run = promisify(execFile);

/** Commits a copy of the project. Returns its folder, and a function that runs its npm scripts. */
function commitProject() {
	const project = copyProject();
	const git = (...args: string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" });
	writeFileSync(join(project, ".gitignore"), "node_modules\n");
	git("init", "--quiet");
	git("add", ".");
	git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "All");
	// These programs only print how they were called.
	const programs = mkdtempSync(join(tmpdir(), "programs-"));
	const program = join(programs, "wrangler");
	writeFileSync(program, '#!/bin/sh\necho "called: ${0##*/} $*"\n', { mode: 0o700 });
	for (const name of ["oxlint", "prettier", "tsc", "vitest"])
		symlinkSync(program, join(programs, name));
	// npm puts its own programs first in PATH, so the shell that it starts must put these before them.
	const shell = join(programs, "shell");
	writeFileSync(shell, `#!/bin/sh\nPATH="${programs}:$PATH" exec sh "$@"\n`, { mode: 0o700 });
	const env = { ...process.env, npm_config_script_shell: shell };
	const npm = (...args: string[]) => run("npm", args, { cwd: join(project, "src"), env });
	return { project, commit: git("rev-parse", "HEAD").trim(), npm };
}

it.each(["deploy", "deploy:untested"])("%s deploys the commit, from any folder", async (script) => {
	const { commit, npm } = commitProject();
	const { stdout } = await npm("run", script, "--", "--env", "staging");
	expect(stdout).toMatch(
		new RegExp(`called: wrangler deploy --message ${commit} --env staging\n$`),
	);
	expect(stdout.includes("called: vitest run\n")).toBe(script === "deploy");
});

it("a tree with a line that isn't committed is not deployed", async () => {
	const { project, npm } = commitProject();
	appendFileSync(join(project, "src/index.ts"), "// Not committed\n");
	const stdout = expect.stringMatching(
		/src\/index\.ts[^]+Commit these changes(?![^]*called: wrangler)/,
	);
	await expect(npm("run", "deploy:untested")).rejects.toMatchObject({ code: 1, stdout });
});

it("the monitor is silent if its plant is stored, and otherwise prints the response", async () => {
	const kv = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null, { status: request.url.includes('503') ? 403 : 200 }); } };")],
  compatibilityDate = "2026-01-01",
)`;
	const { child, url } = await startWorkerd(bundle("src/index.ts"), "good", kv);
	const page = readFileSync("docs/operating.md", "utf8");
	const [, request = ""] = /\(umask 077 && ([^]+?\n +end)\n/.exec(page) ?? [];
	const [, monitor = ""] = /\*\/10 \* \* \* \* (.+)/.exec(page) ?? [];
	/** What cron would mail. */
	const mail = async (address: string, token: string, id: string) => {
		const env = { ...process.env, HOME: mkdtempSync(join(tmpdir(), "home-")), token };
		const save = request.replaceAll(/^ +/gm, "").replace("<url>", address).replace("<id>", id);
		await run("sh", ["-c", save], { env });
		const { stdout, stderr } = await run("sh", ["-c", monitor], { env });
		return stdout + stderr;
	};
	expect(await mail(url, "good", "1")).toBe("");
	expect(await mail(url, "good", "503")).toMatch(/^Not stored: {"error":503,/);
	expect(await mail(url, "wrong", "1")).toMatch(/^Not stored: {"error":401,/);
	child.kill();
	expect(await mail("http://127.0.0.1:1", "good", "1")).toMatch(/^Not stored: curl: /);
});
