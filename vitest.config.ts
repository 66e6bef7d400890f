import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { build } from "./operate/build.ts";
import { browser } from "./test/support/browser.ts";

// The static files, which the service under test serves.
build("dist/public");

process.env["ACCESS_TOKEN"] = "test-token";
// See .env.example.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
// Without a line for each file on where its secrets come from.
process.env["WRANGLER_LOG"] = "warn";

// Each file in a worker of its own, with enough time for a busy machine.
const shared = { isolate: true, testTimeout: 180_000, hookTimeout: 180_000 };

// The conformance cases, and the tests that look inside: in the Workers runtime, each file with a KV
// namespace of its own. `verbose` would print a warning for each header beyond ASCII.
const runtime = {
	plugins: [cloudflareTest({ verbose: false, wrangler: { configPath: "./wrangler.toml" } })],
	test: { name: "runtime", include: ["test/{conformance,runtime}/*.test.ts"], ...shared },
};

// In Node, looking at the service and its commands from outside. The page's test needs a browser;
// globalSetup says so if there is none.
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
		// A green run prints files and counts, and no list of slow tests.
		slowTestThreshold: Number.POSITIVE_INFINITY,
	},
});
