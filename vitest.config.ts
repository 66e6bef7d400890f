import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { setEnvironment } from "./test/support/environment.ts";

setEnvironment();

// Tests that need KV or the app itself, in the Workers runtime. Each file has a KV of its own.
const runtime = {
	extends: true as const,
	plugins: [
		cloudflareTest({
			wrangler: { configPath: "./wrangler.toml" },
			miniflare: { bindings: { ACCESS_TOKEN: "Test-Token+/~._==" } },
		}),
	],
	test: { name: "runtime", include: ["test/runtime/*.test.ts"] },
};

// The contract over HTTP, of Wrangler's local server or of the running service at SERVICE_URL.
const conformance = {
	extends: true as const,
	test: {
		name: "conformance",
		include: ["test/conformance/*.test.ts"],
		globalSetup: "test/support/serve.ts",
	},
};

// Tests from outside, in Node.
const node = {
	extends: true as const,
	test: { name: "node", include: ["test/node/*.test.ts"] },
};

export default defineConfig({
	test: {
		projects: [runtime, conformance, node],
		// macOS writes such files, as ._x.test.ts, on the disks of other systems.
		exclude: ["**/.*"],
		globalSetup: "test/support/folder.ts",
		restoreMocks: true,
		// Otherwise, the output has the service's log: a line for each plant that is refused.
		silent: "passed-only",
		// Long, for a busy machine.
		testTimeout: 180_000,
		hookTimeout: 180_000,
		expect: { poll: { timeout: 180_000 } },
		// The first line of a failure shows whole responses.
		chaiConfig: { truncateThreshold: 400 },
		// Three files run at a time, even on two cores, because some tests mostly wait.
		maxWorkers: 3,
	},
});
