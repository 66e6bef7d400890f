// npm runs this before `npm run check`: it refuses packages other than those that package.json names, for example
// after a git pull. The project's own Node may be among them, so this is JavaScript, which any Node runs.
import { spawnSync } from "node:child_process";

const { status, stderr } = spawnSync("npm ls --all", { shell: true, encoding: "utf8" });
if (status !== 0) {
	console.error(`${stderr}The installed packages do not match package.json. Run: npm ci`);
	process.exit(1);
}
