// README's first steps: `npm run dev` starts the service, which answers as README says.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { copyProject } from "../support/project.ts";

const cwd = copyProject();
const freePorts = ["--port", "0", "--inspector-port", "0"];
const env = { ...process.env, WRANGLER_LOG: "info" };
const dev = spawn("npm", ["run", "dev", "--", ...freePorts], { cwd, env });
const ended = once(dev, "close");
afterAll(async () => {
	dev.kill();
	await ended;
});

/** The base URL of the service. Rejects, with the output, if npm run dev ends first. */
const listening = new Promise<string>((resolve, reject) => {
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

it("each request in README gets the response in README", async () => {
	const url = await listening;
	const readme = readFileSync("README.md", "utf8");
	const requests = [...readme.matchAll(/```sh\n(curl [^`]+)```\s+```text\n([^`]+)\n```/g)];
	const curls = readme.match(/^curl .*localhost/gm);
	const hint = "README: each curl has a block of its own, and the next block is its response";
	expect(requests.length, hint).toBe(curls?.length);
	for (const [, curl = "", answer = ""] of requests) {
		const command = curl.replace("http://localhost:8787", url);
		const { stdout } = await promisify(execFile)("sh", ["-c", command]);
		// With -i, curl prints the headers, too.
		expect(stdout.replace(/\r\n[^]+\r\n\r\n/, "\n…\n"), curl).toBe(answer);
	}
});

// Each command of Wrangler takes seconds, on a busy machine many.
it("what the service has stored can be backed up and restored", { timeout: 600_000 }, async () => {
	const home = mkdtempSync(join(tmpdir(), "home-"));
	const logs = join(home, "logs");
	const plain = { NODE_OPTIONS: "", NODE_DEBUG: "", WRANGLER_WRITE_LOGS: "", WRANGLER_LOG: "log" };
	const env = { ...process.env, ...plain, HOME: home, WRANGLER_LOG_PATH: logs };
	const run = async (...command: string[]) => {
		const { stdout } = await promisify(execFile)("npm", command, { cwd, env });
		return stdout;
	};
	const key = (verb: string) =>
		run("exec", "-c", `wrangler kv key ${verb} -9007199254740993 --binding PLANTS --local`);
	const body = String.raw`{"id":-9007199254740993,"name":"\"\\\n🌵\ud83c"}`;
	const headers = {
		Authorization: "Bearer local-development-token",
		"Content-Type": "application/json",
	};
	await fetch(`${await listening}/plants`, { method: "POST", headers, body });
	const file = (await run("run", "--silent", "backup", "--", "--local")).trim();
	const plant = JSON.stringify({ key: "-9007199254740993", value: body });
	expect(readFileSync(file, "utf8").split("\n")).toContain(plant);
	await key("delete");
	const stdout = await run("run", "--silent", "restore", "--", file, "--local");
	expect(stdout).toBe("Plants written: 1.\n");
	expect(await key("get")).toBe(body);
	for (const log of readdirSync(logs)) {
		expect(readFileSync(join(logs, log), "utf8"), "Wrangler's own log").not.toContain("🌵");
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
