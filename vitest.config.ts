import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { browser } from "./test/support/browser.ts";

process.env["ACCESS_TOKEN"] = "test-token";
// See .env.example.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";

// Enough time for a busy machine.
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

// The conformance cases, and the tests that look inside: in the Workers runtime,
// each file with a KV namespace of its own.
const runtime = {
	plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
	test: { name: "runtime", include: ["test/{conformance,runtime}/*.test.ts"], ...patience },
};

// In Node, looking at the service and its commands from outside. The page's test needs a browser;
// globalSetup says so where there is none.
const outside = {
	test: {
		name: "outside",
		include: ["test/outside/*.test.ts"],
		exclude: browser ? [] : ["test/outside/page.test.ts"],
		globalSetup: "test/support/browser.ts",
		maxConcurrency: 20,
		...patience,
	},
};

export default defineConfig({ test: { projects: [runtime, outside] } });
