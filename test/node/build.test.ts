// The folder of static files after a build: whatever is in it is served.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = "dist/public";

it("a build removes what it did not make", () => {
	mkdirSync(`${folder}/stray-folder`, { recursive: true });
	writeFileSync(`${folder}/stray-file`, "");
	execFileSync("node", ["scripts/build.ts"]);
	const names = readdirSync(folder);
	expect(names.filter((name) => name.startsWith("stray"))).toEqual([]);
	expect(names).toContain("index.html");
});
