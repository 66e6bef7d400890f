import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { setEnvironment } from "./test/support/environment.ts";

// The paths in the tests begin in this folder, wherever Vitest was started.
process.chdir(import.meta.dirname);
setEnvironment();

/** What each project has: its tests are in the folder of its name. */
const project = (name: string) => ({ name, include: [`test/${name}/*.test.ts`] });

export default defineConfig({
	test: {
		projects: [
			// Tests that need KV or the app itself, in the Workers runtime. Each file has a KV of its own.
			{
				extends: true,
				plugins: [
					cloudflareTest({
						wrangler: { configPath: "./wrangler.toml" },
						miniflare: { bindings: { ACCESS_TOKEN: "Test-Token+/~._==" } },
					}),
				],
				test: project("runtime"),
			},
			// The contract over HTTP, of Wrangler's local server or of the running service at SERVICE_URL.
			{
				extends: true,
				test: { ...project("conformance"), globalSetup: "test/support/serve.ts" },
			},
			// Tests from outside, in Node.
			{ extends: true, test: project("node") },
		],
		// macOS writes files such as ._x.test.ts on the disks of other systems.
		exclude: ["**/.*"],
		restoreMocks: true,
		// Otherwise, the output has the service's log: a line for each plant that is refused.
		silent: "passed-only",
		// Long, for a busy machine.
		testTimeout: 600_000,
		hookTimeout: 600_000,
		expect: { poll: { timeout: 180_000 } },
		// The first line of a failure shows whole responses.
		chaiConfig: { truncateThreshold: 400 },
		// Three files run at a time, even on two cores, because some tests mostly wait.
		maxWorkers: 3,
	},
});
