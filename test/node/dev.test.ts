// README's first steps: `npm run dev` starts the service, and the request creates the plant.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

// On a free port, and with a KV of its own.
const options = ["--port", "0", "--persist-to", mkdtempSync(join(tmpdir(), "dev-"))];
const env = { ...process.env, WRANGLER_LOG: "info" };
const dev = spawn("npm", ["run", "dev", "--", ...options], { env });
const ended = once(dev, "close");
afterAll(async () => {
	dev.kill();
	await ended;
});

/** Resolves to the base URL of the service. Rejects, with its output, if it ends before. */
function listening(): Promise<string> {
	return new Promise((resolve, reject) => {
		let output = "";
		const read = (chunk: Buffer) => {
			output += chunk;
			const url = /Ready on (http:\S+)/.exec(output)?.[1];
			if (url) resolve(url);
		};
		dev.stdout.on("data", read);
		dev.stderr.on("data", read);
		void ended.then(() => reject(new Error(`npm run dev has ended:\n${output}`)));
	});
}

it("README's request creates its plant", async () => {
	const readme = readFileSync("README.md", "utf8");
	const [, curl = "", answer] = /```sh\n(curl .+?)```\s+```text\n(.+?)\n```/s.exec(readme) ?? [];
	const headers = new Headers();
	for (const [, name = "", value = ""] of curl.matchAll(/-H '(.+?): (.+?)'/g)) {
		headers.set(name, value);
	}
	const body = /-d '(.+)'/.exec(curl)?.[1] ?? "";
	const response = await fetch(`${await listening()}/plants`, { method: "POST", headers, body });
	expect(await response.text()).toBe(answer);
});
