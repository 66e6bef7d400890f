// A copy of the project, for commands that write into it.
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Environment variables with the user of Git. */
export const gitUser = { GIT_AUTHOR_NAME: "a", GIT_COMMITTER_NAME: "a", EMAIL: "a@example.com" };

/** The name of the Worker. */
export const [, workerName = ""] =
	/^name = "(.+)"/m.exec(readFileSync("wrangler.toml", "utf8")) ?? [];

/** Puts the settings of the service's operator back into comments, as before the first deploy. */
export function resetSettings(project: string) {
	const file = join(project, "wrangler.toml");
	const toml = readFileSync(file, "utf8")
		.replace(/^\[env\.staging\]\n(?:.+\n)+/m, (lines) => lines.replaceAll(/^(?=.)/gm, "# "))
		.replaceAll(/^(account_id|id|routes) = /gm, "# $1 = ")
		.replace(/^workers_dev = false$/m, "workers_dev = true");
	writeFileSync(file, toml);
}

/** Copies what the service is made of into a new folder, as in a fresh clone. Returns its path. */
export function copyProject(): string {
	const project = mkdtempSync(join(tmpdir(), "project-"));
	for (const name of [".gitignore", "package.json", "wrangler.toml", "page", "scripts", "src"]) {
		cpSync(name, join(project, name), { recursive: true });
	}
	symlinkSync(resolve("node_modules"), join(project, "node_modules"));
	return project;
}
