import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { browser } from "./test/local/browser.js";

process.env.ACCESS_TOKEN = "test-token";

// Most tests run inside the Workers runtime, each file with a KV namespace of its own. Those in
// test/local run in Node, and look at the service as it runs on a developer's machine.
const runtime = {
	plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
	test: { name: "runtime", include: ["test/**/*.test.ts"] },
};
const local = {
	test: {
		name: "local",
		include: ["test/local/*.test.js"],
		maxConcurrency: 20,
		testTimeout: 60_000,
		hookTimeout: 60_000,
	},
};

if (!browser) {
	local.test.exclude = ["test/local/page.test.js"];
	console.log(
		"No Chromium on this machine: the test of the page (test/local/page.test.js) is left out.",
	);
}

export default defineConfig({ test: { projects: [runtime, local] } });
