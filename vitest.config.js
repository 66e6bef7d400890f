import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { browser } from "./test/local/browser.js";

process.env.ACCESS_TOKEN = "test-token";

// A busy machine is no failure.
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

// Most tests run inside the Workers runtime, each file with a KV namespace of its own. Those in
// test/local run in Node, and look at the service as it runs on a developer's machine.
const runtime = {
	plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
	test: { name: "runtime", include: ["test/**/*.test.ts"], ...patience },
};

// The test of the page needs a browser; globalSetup says so where there is none.
const local = {
	test: {
		name: "local",
		include: ["test/local/*.test.js"],
		exclude: browser ? [] : ["test/local/page.test.js"],
		globalSetup: "test/local/browser.js",
		maxConcurrency: 20,
		...patience,
	},
};

export default defineConfig({ test: { projects: [runtime, local] } });
