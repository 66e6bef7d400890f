// README's first steps: `npm run dev` starts the service, which answers as README says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

// On free ports, and with a KV of its own.
const kv = mkdtempSync(join(tmpdir(), "dev-"));
const options = ["--port", "0", "--inspector-port", "0", "--persist-to", kv];
const env = { ...process.env, WRANGLER_LOG: "info" };
const dev = spawn("npm", ["run", "dev", "--", ...options], { env });
const ended = once(dev, "close");
afterAll(async () => {
	dev.kill();
	await ended;
});

/** Resolves to the base URL of the service. Rejects, with the output, if npm run dev ends first. */
function listening(): Promise<string> {
	return new Promise((resolve, reject) => {
		let output = "";
		const read = (chunk: Buffer) => {
			output += chunk;
			const url = /Ready on (http:\S+)\s/.exec(output)?.[1];
			if (url) resolve(url);
		};
		dev.stdout.on("data", read);
		dev.stderr.on("data", read);
		void ended.then(() => reject(new Error(`npm run dev has ended:\n${output}`)));
	});
}

it("each request in README gets the response in README", async () => {
	const url = await listening();
	const readme = readFileSync("README.md", "utf8");
	const requests = [...readme.matchAll(/```sh\n(curl [^`]+)```\s+```text\n([^`]+)\n```/g)];
	expect(requests).toHaveLength(2);
	for (const [, curl = "", answer = ""] of requests) {
		const headers = new Headers();
		for (const [, name = "", value = ""] of curl.matchAll(/-H '(.+?): (.+?)'/g)) {
			headers.set(name, value);
		}
		const body = /-d '(.+)'/.exec(curl)?.[1] ?? "";
		const response = await fetch(`${url}/plants`, { method: "POST", headers, body });
		// With -i, the status comes first, and the body is the last line.
		const [, status = "200"] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
		expect(`${response.status}`).toBe(status);
		expect(await response.text()).toBe(answer.split("\n").at(-1));
	}
});
