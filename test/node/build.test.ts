// The build: dist/public has what this commit makes, and nothing else.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";

const out = "dist/public";
const build = () => execFileSync("node", ["operate/build.ts"]);

it("removes what is stale, mends what has changed, and leaves alone what a running service has open", () => {
	build();
	const made = readdirSync(out);
	const page = statSync(`${out}/index.html`);
	mkdirSync(`${out}/stale`, { recursive: true });
	writeFileSync(`${out}/stale/openapi.json`, "{}");
	writeFileSync(`${out}/stale.html`, "stale");
	writeFileSync(`${out}/icon.svg`, "another");
	build();
	expect(readdirSync(out)).toEqual(made);
	expect(readFileSync(`${out}/icon.svg`)).toEqual(readFileSync("page/icon.svg"));
	expect(statSync(`${out}/index.html`)).toMatchObject({ ino: page.ino, mtimeMs: page.mtimeMs });
});
