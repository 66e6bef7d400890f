import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

process.env.ACCESS_TOKEN = "test-token";

// Tests run inside the Workers runtime, each file with a KV namespace of its own.
export default defineConfig({
	plugins: [
		cloudflareTest({
			wrangler: { configPath: "./wrangler.toml" },
		}),
	],
});
