// The installed packages.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { expect, it } from "vitest";

it("they are those of package.json", () => {
	const list = () => execFileSync("npm", ["ls"], { stdio: "pipe" });
	expect(list, "Run npm ci.").not.toThrow();
});

it("the tests and a deploy have the same Wrangler, and so the same workerd", () => {
	const ofTests = createRequire(import.meta.resolve("@cloudflare/vitest-plugin"));
	const ofDeploy = createRequire(import.meta.url);
	const paths = [ofTests, ofDeploy].map((require) => require.resolve("wrangler"));
	expect(paths[0], "Run npm dedupe.").toBe(paths[1]);
});
