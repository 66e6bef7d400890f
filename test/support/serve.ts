// Before the conformance cases: finds the service at SERVICE_URL, with its token in ACCESS_TOKEN, or
// starts this project's on Wrangler's local server, with an empty KV. (`npm test` unsets SERVICE_URL.)
import type { TestProject } from "vitest/node";
import { createTestHarness } from "wrangler";

declare module "vitest" {
	interface ProvidedContext {
		/** The origin of the service. */
		url: string;
		/** The bearer token that it accepts. */
		token: string;
	}
}

export async function setup({ provide }: TestProject) {
	const { SERVICE_URL, ACCESS_TOKEN } = process.env;
	if (SERVICE_URL) {
		if (!ACCESS_TOKEN) throw new Error("Set ACCESS_TOKEN to a token that the service accepts.");
		const url = URL.parse(SERVICE_URL);
		if (!url?.protocol.startsWith("http")) {
			throw new Error("Set SERVICE_URL to an address that begins with https:// or http://.");
		}
		provide("url", url.origin);
		provide("token", ACCESS_TOKEN);
		return;
	}
	const token = "Test-Token+/~._==";
	const server = createTestHarness({
		workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: token } }],
	});
	const { url } = await server.listen();
	provide("url", url.origin);
	provide("token", token);
	return () => server.close();
}
