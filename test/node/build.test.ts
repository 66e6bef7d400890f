// The folder of static files after a build: whatever is in it is served.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = "dist/public";

it("a build removes what it did not make, and makes again what is different", () => {
	mkdirSync(`${folder}/stray-folder`, { recursive: true });
	writeFileSync(`${folder}/stray-file`, "");
	writeFileSync(`${folder}/icon.svg`, readFileSync("page/icon.svg", "utf8").replaceAll("0", "1"));
	execFileSync("node", ["scripts/build.ts"]);
	const names = readdirSync(folder);
	expect(names.filter((name) => name.startsWith("stray"))).toEqual([]);
	expect(readFileSync(`${folder}/icon.svg`)).toEqual(readFileSync("page/icon.svg"));
});
