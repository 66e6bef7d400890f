// Which service the conformance cases test: only their own command takes the one at SERVICE_URL.
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { plainEnvironment } from "../support/environment.ts";
import { listen } from "../support/listen.ts";

/** Runs a file of cases, by this command, with a service at SERVICE_URL that doesn't fulfil them. */
async function runCases(command: string) {
	let requests = 0;
	const address = await listen((_, response) => {
		requests += 1;
		response.end();
	});
	const home = mkdtempSync(join(tmpdir(), "home-"));
	const service = { SERVICE_URL: `http://${address}`, ACCESS_TOKEN: "token" };
	const options = { env: { ...plainEnvironment(home), ...service } };
	const cases = `${command} -- --project conformance test/conformance/route.test.ts`;
	const isGreen = await promisify(execFile)("sh", ["-c", cases], options).then(
		() => true,
		() => false,
	);
	return { isGreen, requests };
}

it.each(["npm run conformance", "node --run conformance"])("%s tests it", async (command) => {
	const { isGreen, requests } = await runCases(command);
	expect(isGreen).toBe(false);
	expect(requests).toBeGreaterThan(0);
});

it.each(["npm test", "node --run test"])("%s tests this project's own", async (command) => {
	expect(await runCases(command)).toEqual({ isGreen: true, requests: 0 });
});
