// README and Writing a client: the commands of Try it, as they stand, and what the pages say of the code.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import { plainEnvironment } from "../support/environment.ts";
import { copyProject } from "../support/project.ts";

const readme = readFileSync("README.md", "utf8");
const clients = readFileSync("docs/clients.md", "utf8");
const { responses, schemas } = openapi.components;

describe("a reader who has started the service", () => {
	const local = "http://localhost:8787";
	let project: string;
	let env: Record<string, string>;
	let dev: ChildProcessWithoutNullStreams;
	let url: string;

	/** Runs commands in the project. Returns what they print. */
	async function run(commands: string): Promise<string> {
		const { stdout } = await promisify(execFile)("bash", ["-c", commands], { cwd: project, env });
		return stdout.trim();
	}

	const readPlant = (id: string) => run(`npx wrangler kv key get ${id} --binding PLANTS --local`);

	beforeAll(async () => {
		project = copyProject();
		const logs = { WRANGLER_LOG: "log", WRANGLER_LOG_PATH: join(project, "logs") };
		env = { ...plainEnvironment(project), ...logs };
		const command = "exec npm run dev -- --port 0 --inspector-port 0 2>&1";
		dev = spawn("sh", ["-c", command], { cwd: project, env });
		url = await findUrl(dev);
	});
	afterAll(async () => {
		if (dev.kill()) await once(dev, "close");
	});

	it("receives the answers in README", async () => {
		const pattern = /```sh\n((?:curl|npx) [^`]+)\n```\s+```text\n([^`]+)\n```/g;
		const blocks = [...readme.matchAll(pattern)];
		const lines = readme.match(/^curl .*localhost|^npx .*--local/gm);
		const hint = "README: each curl has a block of its own, and the next block is its response";
		expect(blocks.length, hint).toBe(lines?.length);
		for (const [, command = "", answer] of blocks) {
			const printed = await run(command.replace(local, url));
			// With -i, curl prints the headers, too.
			expect(printed.replace(/\r\n[^]+\r\n\r\n/, "\n…\n"), command).toBe(answer);
		}
	});

	it("can run the program in Writing a client", async () => {
		const [, program = ""] = /```js\n(import [^]+?)```/.exec(clients) ?? [];
		writeFileSync(join(project, "main.mjs"), program.replace(local, url));
		expect(clients).toContain(`\`node main.mjs\` prints \`${await run("node main.mjs")}\``);
		expect(await readPlant("9007199254740995")).toBe('{"id":9007199254740995,"name":"Monstera"}');
	});

	it("can back up a plant that the service has stored, and restore it", async () => {
		const body = String.raw`{"id":-9007199254740993,"name":"\"\\\n🌵\ud83c"}`;
		const Authorization = "Bearer local-development-token";
		const headers = { Authorization, "Content-Type": "application/json" };
		const create = (body: string) => fetch(`${url}/plants`, { method: "POST", headers, body });
		await create(body);
		const file = await run("npm run --silent backup -- --local");
		const plant = JSON.stringify({ key: "-9007199254740993", value: body });
		expect(readFileSync(file, "utf8").split("\n")).toContain(plant);
		await create(body.replace("🌵", "overwritten"));
		const restored = await run(`npm run --silent restore -- ${file} --local --replace`);
		expect(restored).toBe("Plants written: 1.");
		expect(await readPlant("-9007199254740993")).toBe(body);
		// Wrangler's own logs have no plant.
		await run("ls logs/* && ! grep 🌵 logs/*");
	});

	it("keeps a token that is there", async () => {
		await run("echo ACCESS_TOKEN=another > .dev.vars && npm run dev -- --help");
		expect(await run("cat .dev.vars")).toBe("ACCESS_TOKEN=another");
	});
});

/** Returns the address that `npm run dev` prints. Throws, with the output, if that command ends first. */
async function findUrl({ stdout }: ChildProcessWithoutNullStreams): Promise<string> {
	let output = "";
	for await (const line of createInterface(stdout)) {
		output += `${line}\n`;
		const [, url] = /Ready on (http:\S+)/.exec(line) ?? [];
		if (url !== undefined) return url;
	}
	throw new Error(`npm run dev has ended:\n${output}`);
}

it.each([
	["README.md", readme],
	["docs/clients.md", clients],
])("%s has the port and the token of npm run dev", (_, text) => {
	const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
	const [, token] = /ACCESS_TOKEN=(\S+)/.exec(scripts.dev) ?? [];
	const [, port] = /^port = (\d+)/m.exec(readFileSync("wrangler.toml", "utf8")) ?? [];
	const ports = text.match(/(?<=localhost:|(?<!-)port |instead of )\d{4}/g);
	expect(new Set(ports)).toEqual(new Set([port]));
	const tokens = text.match(/local-[a-z-]+/g);
	expect(new Set(tokens)).toEqual(new Set([token]));
});

it("README has a line for each member", () => {
	const members = { ...schemas.NewPlant.properties, ...schemas.Error.properties };
	const listed = [...readme.matchAll(/^- `(\w+)`: /gm)].map(([, name]) => name);
	const missing = Object.keys(members).filter((name) => !listed.includes(name));
	expect(missing, "README.md, Contract").toEqual([]);
});

it("README has the numbers in `error`, in the same order", () => {
	const { description } = responses.BadRequest;
	const numbers = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => number);
	const listed = [...readme.matchAll(/^\| (\d+) /gm)].map(([, number]) => number);
	expect(listed).toEqual(["401", ...numbers]);
});

it("README and the design have the limit of a body", () => {
	const [limit] = /\d+ KiB/.exec(responses.BadRequest.description) ?? [];
	expect(readme, "README.md").toContain(`Body larger than ${limit}`);
	const design = readFileSync("docs/design.md", "utf8");
	expect(design, "docs/design.md").toContain(`A body is at most ${limit}.`);
});
