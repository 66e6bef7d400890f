// Sets the environment of the tests, the benchmark, and the Wrangler that they run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// All temporary files, including Wrangler's, go into one folder, which this process removes at its
// end. Its name is short: a socket's path may have only about a hundred characters.
// (Vitest loads its configuration, and with it this file, several times.)
if (!process.env["PLANT_STORE_TMPDIR"]) {
	const folder = mkdtempSync(join(tmpdir(), "ps-"));
	process.env["PLANT_STORE_TMPDIR"] = folder;
	process.env["TMPDIR"] = folder;
	process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
// Removes variables that point at an account of Cloudflare, or an environment of wrangler.toml. In a
// hook of Git, others point at the repository.
for (const name of Object.keys(process.env)) {
	if (/^(CLOUDFLARE|GIT)_/.test(name)) delete process.env[name];
}
// Unlike npm, an editor doesn't put the project's commands into PATH.
const commands = resolve(import.meta.dirname, "../../node_modules/.bin");
process.env["PATH"] = `${commands}:${process.env["PATH"]}`;
// bash warns of a locale that isn't installed.
process.env["LC_ALL"] = "C";
// The configuration of Git may sign commits, or run hooks. This file doesn't exist.
process.env["GIT_CONFIG_GLOBAL"] = join(tmpdir(), "gitconfig");
process.env["GIT_CONFIG_NOSYSTEM"] = "true";
// Only `npm run conformance` may reach another service, perhaps through a proxy. All other
// requests of the tests are to this machine.
if (process.env["npm_lifecycle_event"] !== "conformance") delete process.env["SERVICE_URL"];
if (!process.env["SERVICE_URL"]) delete process.env["NODE_USE_ENV_PROXY"];
// Otherwise Wrangler asks Cloudflare for the value of request.cf, which the service does not use.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";
// Otherwise Wrangler warns that the secret is missing, although each project sets it.
process.env["WRANGLER_LOG"] = "error";
// Tests read output without colours. (If both variables are set, Node also prints a warning.)
delete process.env["FORCE_COLOR"];
delete process.env["NO_COLOR"];
