// What an operator types that is the project's own: the deploy, and the monitor's line of crontab.
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { copyProject } from "../support/project.ts";
import { bundle, startWorkerd } from "../support/workerd.ts";

const run = promisify(execFile);
const newFolder = () => mkdtempSync(join(tmpdir(), "operating-"));

/**
 * Commits a copy of the project. `npm` runs npm in a folder of it, with programs that only print. One
 * of them may fail.
 */
function commitProject(failing?: string) {
	const project = copyProject();
	const git = (...args: string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" });
	git("init", "--quiet");
	git("add", ".");
	git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "All");
	const programs = newFolder();
	for (const name of ["oxlint", "prettier", "tsc", "vitest", "wrangler"]) {
		const program = `#!/bin/sh\necho "called: ${name} $*"\nexit ${name === failing ? 1 : 0}\n`;
		writeFileSync(join(programs, name), program, { mode: 0o700 });
	}
	// npm puts its own programs first in PATH, and the shell that it starts puts these before them.
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
	expect(stdout.includes("called: vitest")).toBe(script === "deploy");
});

it.each(["tsc", "oxlint", "prettier", "vitest"])(
	"if %s fails, nothing is deployed",
	async (name) => {
		const { npm } = commitProject(name);
		const stdout = expect.not.stringContaining("--message");
		await expect(npm("run", "deploy")).rejects.toMatchObject({ code: expect.any(Number), stdout });
	},
);

it.each([
	["a line", "src/index.ts"],
	["a file", "src/größe 2.ts"],
])("%s that is not committed is not deployed", async (_, file) => {
	const { project, npm } = commitProject();
	appendFileSync(join(project, file), "// Not committed\n");
	const stdout = expect.stringMatching(/ "?src\/.+\nCommit these changes[^\n]+\n$/);
	await expect(npm("run", "deploy:untested")).rejects.toMatchObject({ code: 1, stdout });
});

it.each([
	["README.md", "port", "curl http://localhost:*/plants"],
	["docs/clients.md", "port", '"http://localhost:*"'],
	["docs/operating.md", "name", "the Worker `*-staging`"],
	["docs/incidents.md", "name", "`*-plants` or, in a second environment, `*-staging-plants`"],
])("%s has the %s in wrangler.toml", (file, key, text) => {
	const toml = readFileSync("wrangler.toml", "utf8");
	const [, value] = new RegExp(`^${key} = "?([^"\n]+)`, "m").exec(toml) ?? [];
	expect(readFileSync(file, "utf8")).toContain(text.replaceAll("*", `${value}`));
});

it("the monitor prints nothing if its plant is stored, and otherwise the response", async () => {
	// Each write of the plant 503 is refused.
	const kv = `worker = (modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null, { status: request.url.includes('503') ? 403 : 200 }); } };")], compatibilityDate = "2026-01-01")`;
	const { child, url } = await startWorkerd(bundle("src/index.ts"), "good", kv);
	onTestFinished(() => void child.kill());
	const page = readFileSync("docs/operating.md", "utf8");
	const [, save = ""] = /(\(umask 077 [^]+?)\n +```/.exec(page) ?? [];
	const [, line = ""] = /\*\/10 \* \* \* \* (.+)/.exec(page) ?? [];
	const mail = async (address: string, token: string, id: string) => {
		const home = newFolder();
		// A user's configuration of curl, which the monitor doesn't read.
		writeFileSync(join(home, ".curlrc"), "verbose\nfail\n");
		const options = { env: { ...process.env, HOME: home, token } };
		const typed = save.replace("<url>", address).replace("<id>", id);
		await run("sh", ["-c", typed], options);
		const { stdout, stderr } = await run("sh", ["-c", line], options);
		return stdout + stderr;
	};
	expect(await mail(url, "good", "1")).toBe("");
	expect(await mail(url, "good", "503")).toMatch(/^Not stored: {"error":503,/);
	expect(await mail(url, "wrong", "1")).toMatch(/^Not stored: {"error":401,/);
	expect(await mail("http://127.0.0.1:1", "good", "1")).toMatch(/^Not stored: curl: /);
});
