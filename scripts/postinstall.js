// npm runs this once it has unpacked the packages. It refuses an old Node, for which npm leaves out
// packages such as oxlint's, and links the project's own Node, so that npm's scripts find it first.
// (npm 10 makes that link, and then removes it with those of the other platforms.)
// This is JavaScript, which any Node runs.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, symlinkSync } from "node:fs";

/** @param {string} name */
const runs = (name) => spawnSync(`node_modules/${name}/bin/node`, ["--version"]).status === 0;

/** @type {(message: string) => never} */
function refuse(message) {
	console.error(message);
	process.exit(1);
}

// The Node that runs npm. This file may run in the project's own, from an earlier installation.
const userAgent = process.env["npm_config_user_agent"] ?? "";
const version = /node\/v(\S+)/.exec(userAgent)?.[1] ?? process.versions.node;
const [major = 0, minor = 0] = version.split(".").map(Number);
if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
	refuse("Install Node 20.19+ or 22.12+, then run npm ci again.");
}
// There is no package for Windows itself.
if (process.platform === "win32") refuse("On Windows, use WSL.");
const packages = readdirSync("node_modules").filter((name) => name.startsWith("node-"));
const own = packages.find(runs);
if (!own) {
	refuse("The project's own Node needs glibc, or is missing: run npm ci --include=optional");
}
rmSync("node_modules/.bin/node", { force: true });
symlinkSync(`../${own}/bin/node`, "node_modules/.bin/node");
