// `npm run conformance -- https://…` runs the cases in test/conformance against the service at a base URL,
// with the bearer token in ACCESS_TOKEN; without a URL, against a `wrangler dev` that it starts.
// Exits with 0 if all cases pass, 1 if not, 2 if it was called wrongly.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startVitest } from "vitest/node";
import { startDev } from "../../harness/dev.ts";

/** Runs all cases against a service, and says whether they pass. */
async function conforms(url: string, token: string): Promise<boolean> {
	const vitest = await startVitest("test", [], {
		config: false,
		watch: false,
		isolate: true,
		include: ["test/conformance/*.test.ts"],
		reporters: ["verbose"],
		testTimeout: 60_000,
		env: { SERVICE_URL: url.replace(/\/$/, ""), ACCESS_TOKEN: token },
	});
	const passed = vitest.state.getCountOfFailedTests() === 0 && vitest.state.getFiles().length > 0;
	await vitest.close();
	console.log(passed ? `${url} conforms.` : `${url} does not conform: see the cases above.`);
	return passed;
}

/** Runs all cases against a `wrangler dev` with an empty KV. */
async function devConforms(): Promise<boolean> {
	const state = mkdtempSync(join(tmpdir(), "plant-store-conformance-"));
	const dev = await startDev(state, "local-development-token");
	try {
		return await conforms(dev.url, "local-development-token");
	} finally {
		await dev.stop();
		rmSync(state, { recursive: true });
	}
}

const [url] = process.argv.slice(2);
const token = process.env["ACCESS_TOKEN"];
if (url && !(URL.canParse(url) && token)) {
	console.error(
		"Give the base URL of a service, and a bearer token that it accepts in ACCESS_TOKEN.",
	);
	process.exit(2);
}
process.exit((url && token ? await conforms(url, token) : await devConforms()) ? 0 : 1);
