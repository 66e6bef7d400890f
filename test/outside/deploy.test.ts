// What `npm run deploy` refuses before it runs anything else.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const strong = "0123456789abcdef0123456789abcdef";

it.each([
	["no .env.production", undefined],
	["no ACCESS_TOKEN in it", "OTHER=x"],
	["an empty one", "ACCESS_TOKEN="],
	["a short one", "ACCESS_TOKEN=secret"],
	["the one for local development", "ACCESS_TOKEN=local-development-token"],
	["that one beside a strong one", `ACCESS_TOKEN=${strong},local-development-token`],
	["a blank one beside a strong one", `ACCESS_TOKEN=${strong},`],
])("%s", (_, content) => {
	const folder = mkdtempSync(join(tmpdir(), "plant-store-deploy-"));
	copyFileSync(".env.example", join(folder, ".env.example"));
	if (content !== undefined) writeFileSync(join(folder, ".env.production"), `${content}\n`);
	const script = join(process.cwd(), "operate/deploy.ts");
	const { status, stdout, stderr } = spawnSync("node", [script], { cwd: folder, encoding: "utf8" });
	rmSync(folder, { recursive: true });
	expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
	expect(stderr).toContain("Not deployed: .env.production must hold ACCESS_TOKEN");
	expect(stderr).not.toContain(strong);
});
