// `npm run conformance -- https://…` runs the cases in test/conformance against the service at a base URL, with the
// bearer token in ACCESS_TOKEN; without a URL, against this project's service, which it starts with an empty local KV.
// Exits with 0 if all cases pass, 1 if not, 2 for a wrong command line.
import { startVitest } from "vitest/node";
import { createTestHarness } from "wrangler";
import { temporaryFolder } from "../../harness/folder.ts";

/** Sends a service an empty object, and returns the reason if no case can pass. */
async function problemOf(url: string, token: string): Promise<string | undefined> {
	try {
		const { status } = await fetch(`${url}/plants`, {
			method: "POST",
			headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
			body: "{}",
		});
		return status === 401 ? `${url} refuses the bearer token in ACCESS_TOKEN.` : undefined;
	} catch (error) {
		const { cause } = error instanceof Error ? error : {};
		// A host with several addresses has a reason for each, all with the same code.
		const reason = cause instanceof Error && "code" in cause ? cause.code : error;
		return `${url} does not answer: ${reason}`;
	}
}

/** Runs all cases against a service, prints the result with its name, and sets the exit status. */
async function test(name: string, url: string, token: string) {
	const problem = await problemOf(url, token);
	if (problem) {
		console.error(problem);
		process.exitCode = 1;
		return;
	}
	// Sets the exit status to 1 if a case fails, or if none runs.
	await startVitest([], {
		config: false,
		watch: false,
		include: ["test/conformance/*.test.ts"],
		reporters: ["tree"],
		testTimeout: 60_000,
		env: { SERVICE_URL: url, ACCESS_TOKEN: token },
	});
	console.log(
		process.exitCode ? `${name} does not conform: see the cases above.` : `${name} conforms.`,
	);
}

/** Starts this project's service, and runs all cases against it. */
async function testOwn() {
	const token = "conformance-token";
	// Wrangler asks Cloudflare nothing.
	process.loadEnvFile(".env.example");
	// Interrupted, Wrangler may leave a folder behind.
	process.env["TMPDIR"] = temporaryFolder();
	const server = createTestHarness({
		// An empty env is the top level of wrangler.toml, even if CLOUDFLARE_ENV is set.
		workers: [{ configPath: "wrangler.toml", env: "", secrets: { ACCESS_TOKEN: token } }],
	});
	const { url } = await server.listen();
	await test("This project's service", url.origin, token);
	await server.close();
}

const [url] = process.argv.slice(2);
const token = process.env["ACCESS_TOKEN"];
if (!url) {
	await testOwn();
} else if (URL.canParse(url) && token) {
	await test(url, url.replace(/\/$/, ""), token);
} else {
	console.error("Give the base URL of a service, and set ACCESS_TOKEN to its bearer token.");
	process.exitCode = 2;
}
