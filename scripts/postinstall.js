// npm runs this after it has installed the packages: it links the project's own Node, so that npm's scripts find it
// first. (npm 10 removes the link that it has made itself, with those of the other platforms.)
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, symlinkSync } from "node:fs";

/** @param {string} name */
const runs = (name) => spawnSync(`node_modules/${name}/bin/node`, ["--version"]).status === 0;

// There is no package for Windows, where the installed Node runs the scripts.
if (process.platform !== "win32") {
	const name = readdirSync("node_modules").find((name) => name.startsWith("node-") && runs(name));
	if (!name) {
		console.error("The project's own Node is missing. Run: npm ci --include=optional");
		process.exit(1);
	}
	rmSync("node_modules/.bin/node", { force: true });
	symlinkSync(`../${name}/bin/node`, "node_modules/.bin/node");
}
