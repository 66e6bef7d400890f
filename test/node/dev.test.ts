// README's first steps: `npm run dev` starts the service, which answers as README says.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { copyProject } from "../support/project.ts";

const freePorts = ["--port", "0", "--inspector-port", "0"];
const env = { ...process.env, WRANGLER_LOG: "info" };
const dev = spawn("npm", ["run", "dev", "--", ...freePorts], { cwd: copyProject(), env });
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
	const curls = readme.match(/^curl .*localhost/gm);
	const hint = "README: each curl has a block of its own, and the next block is its response";
	expect(requests.length, hint).toBe(curls?.length);
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

it("a .dev.vars that is there is kept", () => {
	const cwd = copyProject();
	const file = join(cwd, ".dev.vars");
	writeFileSync(file, "ACCESS_TOKEN=another\n");
	// Only prints the help of wrangler dev.
	execFileSync("npm", ["run", "dev", "--", "--help"], { cwd });
	expect(readFileSync(file, "utf8")).toBe("ACCESS_TOKEN=another\n");
});
