// A copy of the project, for commands that write into it.
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Copies what the service is made of into a new folder, as in a fresh clone. Returns its path. */
export function copyProject(): string {
	const project = mkdtempSync(join(tmpdir(), "project-"));
	for (const name of ["package.json", "wrangler.toml", "page", "scripts", "src"]) {
		cpSync(name, join(project, name), { recursive: true });
	}
	symlinkSync(resolve("node_modules"), join(project, "node_modules"));
	return project;
}
