// `npm run conformance -- https://…` runs the cases in test/conformance against the service at a base URL,
// with the bearer token in ACCESS_TOKEN; without a URL, against a `wrangler dev` that it starts.
// Exits with 0 if all cases pass, 1 if not, 2 for a wrong command line.
import { startVitest } from "vitest/node";
import { startDev } from "../../harness/dev.ts";
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

/** Runs all cases against a service, and says whether they pass. */
async function conforms(url: string, token: string): Promise<boolean> {
	const problem = await problemOf(url, token);
	if (problem) {
		console.error(problem);
		return false;
	}
	const vitest = await startVitest("test", [], {
		config: false,
		watch: false,
		isolate: true,
		include: ["test/conformance/*.test.ts"],
		reporters: ["tree"],
		testTimeout: 60_000,
		env: { SERVICE_URL: url, ACCESS_TOKEN: token },
	});
	const passed = vitest.state.getCountOfFailedTests() === 0 && vitest.state.getFiles().length > 0;
	await vitest.close();
	console.log(passed ? `${url} conforms.` : `${url} does not conform: see the cases above.`);
	return passed;
}

/** Runs all cases against a `wrangler dev` with an empty KV. */
async function devConforms(): Promise<boolean> {
	const dev = await startDev(temporaryFolder("conformance"), "local-development-token");
	const passed = await conforms(dev.url, "local-development-token");
	await dev.stop();
	return passed;
}

const [url] = process.argv.slice(2);
const token = process.env["ACCESS_TOKEN"];
if (url && !(URL.canParse(url) && token)) {
	console.error("Give the base URL of a service, and set ACCESS_TOKEN to its bearer token.");
	process.exit(2);
}
const passed = url && token ? await conforms(url.replace(/\/$/, ""), token) : await devConforms();
process.exit(passed ? 0 : 1);
