// The environment variables of the tests and the benchmark, and of the programs that they start.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Returns what the tests set for the programs that they start. */
const settings = () => ({
	// Unlike npm, an editor doesn't put the project's commands into PATH.
	PATH: `${resolve(import.meta.dirname, "../../node_modules/.bin")}:${process.env["PATH"]}`,
	// bash warns of a locale that isn't installed.
	LC_ALL: "C",
	// Wrangler and Chromium would write into the user's home.
	XDG_CONFIG_HOME: tmpdir(),
	XDG_CACHE_HOME: tmpdir(),
	// Wrangler starts in two thirds of the time.
	NODE_COMPILE_CACHE: join(tmpdir(), "node"),
	// Wrangler would ask Cloudflare for the value of request.cf, which the service does not use.
	CLOUDFLARE_CF_FETCH_ENABLED: "false",
	WRANGLER_SEND_METRICS: "false",
	// Wrangler would warn that the secret is missing, although each project sets it.
	WRANGLER_LOG: "error",
});

/**
 * Returns an environment made from nothing, with this home. No setting of the user's, such as CDPATH,
 * BASH_ENV, NODE_OPTIONS or npm_config_…, reaches a program that gets it.
 */
export const plainEnvironment = (home: string) => ({
	...settings(),
	HOME: home,
	TMPDIR: tmpdir(),
});

/** Removes what would change a result, and sets what the tests need. Can be called again. */
export function setEnvironment() {
	moveTemporaryFiles();
	// Wrangler would take an account or an environment from CLOUDFLARE_….
	// Tests read what commands print: without colours, and without a line that each process would
	// print if LD_PRELOAD named a file that is gone.
	removeVariables(/^CLOUDFLARE_|^(FORCE|NO)_COLOR$|^LD_PRELOAD$/);
	// Only the service at SERVICE_URL may need a proxy, or a certificate of one's own. All other requests
	// of the tests are to this machine.
	if (!process.env["SERVICE_URL"]) removeVariables(/_proxy$|^NODE_EXTRA_CA_CERTS$/i);
	Object.assign(process.env, settings());
}

/** Removes the variables whose names match. */
function removeVariables(names: RegExp) {
	for (const name of Object.keys(process.env)) {
		if (names.test(name)) delete process.env[name];
	}
}

/**
 * Puts all temporary files, Wrangler's too, into one folder, which this process removes at its end.
 * Its name is short: a socket's path may have only about a hundred characters.
 */
function moveTemporaryFiles() {
	if (process.env["PLANT_STORE_TMPDIR"]) return;
	const folder = mkdtempSync(join(tmpdir(), "ps-"));
	Object.assign(process.env, { PLANT_STORE_TMPDIR: folder, TMPDIR: folder });
	process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
