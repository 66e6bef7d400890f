// The build of the static files.
import { execFileSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Runs the build, as Wrangler does, but into another folder. */
const build = (out: string) => execFileSync("node", ["scripts/build.ts", out]);

it("removes stale files, replaces changed ones, and does not touch the others, which a running service has open", () => {
	const folder = mkdtempSync(join(tmpdir(), "plant-store-build-"));
	const out = join(folder, "public");
	build(out);
	const made = readdirSync(out);
	const page = statSync(`${out}/index.html`);
	mkdirSync(`${out}/stale`);
	writeFileSync(`${out}/stale/openapi.json`, "{}");
	writeFileSync(`${out}/stale.html`, "stale");
	writeFileSync(`${out}/icon.svg`, "another");
	build(out);
	expect([readdirSync(folder), readdirSync(out)]).toEqual([["public"], made]);
	expect(readFileSync(`${out}/icon.svg`)).toEqual(readFileSync("page/icon.svg"));
	expect(statSync(`${out}/index.html`)).toMatchObject({ ino: page.ino, mtimeMs: page.mtimeMs });
});
