// What is deployed: the folder of static files, all of which are served, and the bundle.
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { copyProject } from "../support/project.ts";
import { bundle } from "../support/workerd.ts";

it("a build removes what it did not make, makes again what is different, and leaves the rest", () => {
	// A copy, because other tests serve the folder of this project.
	const project = copyProject();
	const folder = join(project, "dist/public");
	fs.mkdirSync(join(folder, "stray-folder"), { recursive: true });
	fs.writeFileSync(join(folder, "stray-file"), "");
	const icon = fs.readFileSync("page/icon.svg", "utf8");
	fs.writeFileSync(join(folder, "icon.svg"), icon.replaceAll("0", "1"));
	const build = () => execFileSync("node", [join(project, "scripts/build.ts")]);
	build();
	expect(fs.readdirSync(folder).filter((name) => name.startsWith("stray"))).toEqual([]);
	expect(fs.readFileSync(join(folder, "icon.svg"), "utf8")).toBe(icon);
	const page = join(folder, "docs.html");
	fs.utimesSync(page, 0, 0);
	build();
	expect(fs.statSync(page).mtimeMs).toBe(0);
});

it("Wrangler knows each key of wrangler.toml: it would deploy without any other", () => {
	const env = { ...process.env, WRANGLER_LOG: "warn" };
	const options = { env, encoding: "utf8" } as const;
	const { stderr } = spawnSync("wrangler", ["deploy", "--dry-run"], options);
	expect(stderr).not.toContain("Unexpected fields");
});

it("the bundle is small: Cloudflare loads all of it before a first request is answered", () => {
	const size = gzipSync(fs.readFileSync(bundle("src/index.ts"))).length;
	const hint = "KiB. (zod itself, in place of zod/mini, would double the bundle.)";
	expect(size / 1024, hint).toBeLessThanOrEqual(30);
});
