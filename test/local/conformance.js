// `npm run conformance -- https://…` puts the service at a base URL to the test, with the bearer token
// in ACCESS_TOKEN; without a URL, a `wrangler dev` that it starts. Exits with 0 where all cases pass.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDev } from "./dev.js";

let [url] = process.argv.slice(2);
let token = process.env.ACCESS_TOKEN;
let finish = async () => {};

if (url) {
	if (!token) {
		console.error("Set ACCESS_TOKEN to a bearer token that the service accepts.");
		process.exit(2);
	}
	url = new URL(url).href.replace(/\/$/, "");
} else {
	const state = mkdtempSync(join(tmpdir(), "plant-store-conformance-"));
	token = "local-development-token";
	const dev = await startDev(state, token);
	url = dev.url;
	finish = async () => {
		await dev.stop();
		rmSync(state, { recursive: true });
	};
}

const { status } = spawnSync(
	"vitest",
	["run", "--config", "test/local/conformance.config.js", "--root", ".", "--reporter", "verbose"],
	{ stdio: "inherit", env: { ...process.env, SERVICE_URL: url, ACCESS_TOKEN: token } },
);
await finish();
console.log(status === 0 ? `${url} conforms.` : `${url} does not conform: see the cases above.`);
process.exit(status === 0 ? 0 : 1);
