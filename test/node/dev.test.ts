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

it("each command in README prints what README says", async () => {
	const url = await listening;
	const readme = readFileSync("README.md", "utf8");
	const blocks = [...readme.matchAll(/```sh\n((?:curl|npx) [^`]+)```\s+```text\n([^`]+)\n```/g)];
	const lines = readme.match(/^curl .*localhost|^npx .*--local/gm);
	const hint = "README: each curl has a block of its own, and the next block is its response";
	expect(blocks.length, hint).toBe(lines?.length);
	for (const [, block = "", answer = ""] of blocks) {
		const command = block.replace("http://localhost:8787", url);
		const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd, env });
		// With -i, curl prints the headers, too.
		expect(stdout.replace(/\r\n[^]+\r\n\r\n/, "\n…\n").trim(), block).toBe(answer);
	}
});

// Each command of Wrangler takes seconds, on a busy machine many.
it("what clients have stored can be backed up and restored", { timeout: 600_000 }, async () => {
	const home = mkdtempSync(join(tmpdir(), "home-"));
	const logs = join(home, "logs");
	const plain = { NODE_OPTIONS: "", NODE_DEBUG: "", WRANGLER_WRITE_LOGS: "", WRANGLER_LOG: "log" };
	const env = { ...process.env, ...plain, HOME: home, WRANGLER_LOG_PATH: logs };
	const run = async (...command: string[]) => {
		const { stdout } = await promisify(execFile)("npm", command, { cwd, env });
		return stdout;
	};
	const body = String.raw`{"id":-9007199254740993,"name":"\"\\\n🌵\ud83c"}`;
	const headers = {
		Authorization: "Bearer local-development-token",
		"Content-Type": "application/json",
	};
	const url = await listening;
	const create = (body: string) => fetch(`${url}/plants`, { method: "POST", headers, body });
	await create(body);
	const page = readFileSync("docs/clients.md", "utf8");
	const [, program = ""] = /```js\n(import [^]+?)```/.exec(page) ?? [];
	writeFileSync(join(cwd, "main.mjs"), program.replace("http://localhost:8787", url));
	const printed = await run("exec", "-c", "node main.mjs");
	expect(page).toContain(`\`node main.mjs\` prints \`${printed.trim()}\``);
	const file = (await run("run", "--silent", "backup", "--", "--local")).trim();
	const plant = JSON.stringify({ key: "-9007199254740993", value: body });
	const lines = readFileSync(file, "utf8").split("\n");
	expect(lines).toContain(plant);
	const ofProgram = { key: "9007199254740995", value: '{"id":9007199254740995,"name":"Monstera"}' };
	expect(lines, "the plant of the program").toContain(JSON.stringify(ofProgram));
	await create(body.replace("🌵", "overwritten"));
	const stdout = await run("run", "--silent", "restore", "--", file, "--local", "--replace");
	expect(stdout).toBe("Plants written: 1.\n");
	const get = "wrangler kv key get -9007199254740993 --binding PLANTS --local";
	expect(await run("exec", "-c", get)).toBe(body);
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
