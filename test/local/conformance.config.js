import { defineConfig } from "vitest/config";

// The conformance tests in Node, against the service that SERVICE_URL and ACCESS_TOKEN name.
export default defineConfig({
	test: { name: "conformance", include: ["test/conformance/*.test.ts"], testTimeout: 30_000 },
});
