// Before the conformance cases: finds the service at SERVICE_URL, with its token in ACCESS_TOKEN,
// or starts this project's on Wrangler's local server, with an empty KV.
import type { TestProject } from "vitest/node";
import { createTestHarness } from "wrangler";

declare module "vitest" {
	interface ProvidedContext {
		/** The base URL of the service, without a slash at the end. */
		url: string;
		/** The bearer token that it accepts. */
		token: string;
	}
}

export async function setup({ provide }: TestProject) {
	const { SERVICE_URL, ACCESS_TOKEN } = process.env;
	if (SERVICE_URL) {
		const url = SERVICE_URL.replace(/\/$/, "");
		await check(url, ACCESS_TOKEN);
		console.log(`Testing ${url}`);
		provide("url", url);
		provide("token", ACCESS_TOKEN ?? "");
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

/** Throws if no Plant Store that accepts the token answers at this base URL. */
async function check(url: string, token?: string) {
	const headers = { Authorization: `Bearer ${token}` };
	const { status } = await fetch(`${url}/plants`, { method: "POST", headers });
	// A Plant Store answers 400, because there is no Content-Type.
	if (status !== 400) {
		throw new Error(`${url} answers ${status}. Check SERVICE_URL and ACCESS_TOKEN.`);
	}
}
