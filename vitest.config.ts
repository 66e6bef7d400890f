import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { build } from "./operate/build.ts";
import { browser } from "./test/support/browser.ts";

// The service under test serves these static files.
build("dist/public");

// Neither the tests nor their packages see an account or an API token.
for (const name of Object.keys(process.env)) {
	if (name.startsWith("CLOUDFLARE_")) delete process.env[name];
}
process.env["ACCESS_TOKEN"] = "test-token";
// See .env.example.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
// Otherwise Wrangler prints a line for each test file about the source of its secrets.
process.env["WRANGLER_LOG"] = "warn";

// Test files share no state. The timeouts allow for a busy machine.
const shared = { isolate: true, testTimeout: 180_000, hookTimeout: 180_000 };

// Tests in the Workers runtime: the conformance cases, and those that need KV or the app itself. Each file
// has its own KV namespace. `verbose` would print a warning for each header beyond ASCII.
const runtime = {
	plugins: [cloudflareTest({ verbose: false, wrangler: { configPath: "./wrangler.toml" } })],
	test: { name: "runtime", include: ["test/{conformance,runtime}/*.test.ts"], ...shared },
};

// Tests in Node, of the service and its commands from outside. The page's test needs a browser;
// globalSetup says if it is skipped.
const node = {
	test: {
		name: "node",
		include: ["test/node/*.test.ts"],
		exclude: browser ? [] : ["test/node/page.test.ts"],
		globalSetup: "test/support/browser.ts",
		maxConcurrency: 20,
		...shared,
	},
};

export default defineConfig({
	test: {
		projects: [runtime, node],
		// Three files at a time, even on two cores: some tests only wait.
		maxWorkers: 3,
		// Keeps the list of slow tests out of the output.
		slowTestThreshold: Number.POSITIVE_INFINITY,
	},
});
