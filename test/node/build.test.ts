// What is deployed: the folder of static files, all of which are served, and the bundle.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { copyProject } from "../support/project.ts";
import { bundle } from "../support/workerd.ts";

it("a build makes again what is different, and leaves the rest", () => {
	// A copy, because other tests serve the folder of this project.
	const project = copyProject();
	const folder = join(project, "dist/public");
	fs.mkdirSync(folder, { recursive: true });
	const icon = fs.readFileSync("page/icon.svg", "utf8");
	fs.writeFileSync(join(folder, "icon.svg"), icon.replaceAll("0", "1"));
	const build = () => execFileSync("node", [join(project, "scripts/build.ts")]);
	build();
	expect(fs.readFileSync(join(folder, "icon.svg"), "utf8")).toBe(icon);
	const page = join(folder, "docs.html");
	fs.utimesSync(page, 0, 0);
	build();
	expect(fs.statSync(page).mtimeMs).toBe(0);
});

const bundled = bundle("src/index.ts");

it("the bundle is small: Cloudflare loads all of it before a first request is answered", () => {
	const size = gzipSync(fs.readFileSync(bundled)).length;
	const hint = "KiB. (zod itself, in place of zod/mini, would double the bundle.)";
	expect(size / 1024, hint).toBeLessThanOrEqual(30);
});

it("the bundle has only this project and its packages: those of a folder above are found, too", () => {
	const meta = fs.readFileSync(join(dirname(bundled), "bundle-meta.json"), "utf8");
	const { inputs }: { inputs: Record<string, unknown> } = JSON.parse(meta);
	const folders = [".", "node_modules"].map((path) => fs.realpathSync(path) + sep);
	const files = Object.keys(inputs).map((path) => resolve(path));
	expect(files.filter((file) => !folders.some((folder) => file.startsWith(folder)))).toEqual([]);
	expect(files.length).toBeGreaterThan(0);
});
