// README and Writing a client: their commands, typed as they stand, and what they say of the code.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import { idIn, type Operator, scenesOf, workerName, writeEnv, writeIds } from "./operator.ts";
import { unguardedCommands, untypedCommands, untypedHint } from "./pages.ts";

const readme = readFileSync("README.md", "utf8");
const clients = readFileSync("docs/clients.md", "utf8");
const { responses, schemas } = openapi.components;
const local = "http://localhost:8787";
const scene = scenesOf("README.md");

/** Types each command that README gives with its answer. */
async function expectAnswers({ run }: Operator, url: string) {
	const pattern = /```sh\n((?:curl|npx) [^`]+)\n```\s+```text\n([^`]+)\n```/g;
	const blocks = [...readme.matchAll(pattern)];
	const lines = readme.match(/^curl .*localhost|^npx .*--local/gm);
	const hint = "README: each curl has a block of its own, and the next block is its response";
	expect(blocks.length, hint).toBe(lines?.length);
	for (const [, command = "", answer] of blocks) {
		// Without a terminal, curl shows its progress.
		const printed = await run(`{ ${command.replace(local, url)}\n} 2>/dev/null`);
		// With -i, curl prints the headers, too.
		expect(printed.replace(/\n[^]+\n\n/, "\n…\n"), command).toBe(answer);
	}
}

/** Runs the program in Writing a client. */
async function expectPlantOfProgram({ home, run }: Operator, url: string) {
	const [, program = ""] = /```js\n(import [^]+?)```/.exec(clients) ?? [];
	writeFileSync(join(home, "clone/main.mjs"), program.replace(local, url));
	expect(clients).toContain(`\`node main.mjs\` prints \`${await run("node main.mjs")}\``);
	const stored = await run("npx wrangler kv key get 9007199254740995 --binding PLANTS --local");
	expect(stored).toBe('{"id":9007199254740995,"name":"Monstera"}');
}

/** Backs up a plant that a client has stored, and restores it. */
async function expectBackup({ run }: Operator, url: string) {
	const body = String.raw`{"id":-9007199254740993,"name":"\"\\\n🌵\ud83c"}`;
	const Authorization = "Bearer local-development-token";
	const headers = { Authorization, "Content-Type": "application/json" };
	const create = (body: string) => fetch(`${url}/plants`, { method: "POST", headers, body });
	await create(body);
	await run("export WRANGLER_LOG_PATH=$HOME/logs");
	const file = await run("npm run --silent backup -- --local");
	const plant = JSON.stringify({ key: "-9007199254740993", value: body });
	expect(readFileSync(file, "utf8").split("\n")).toContain(plant);
	await create(body.replace("🌵", "overwritten"));
	const restored = await run(`npm run --silent restore -- ${file} --local --replace`);
	expect(restored).toBe("Plants written: 1.");
	const get = "npx wrangler kv key get -9007199254740993 --binding PLANTS --local";
	expect(await run(get)).toBe(body);
	// Wrangler's own logs have no plant.
	await run("ls ~/logs/* && ! grep 🌵 ~/logs/*");
}

describe.concurrent("a reader", () => {
	scene("tries the service", async (operator) => {
		const { type, run } = operator;
		const options = "--port 0 --inspector-port 0";
		const inBackground = `{ npm run dev -- ${options} > dev.log 2>&1 & }`;
		await type("Try it", "npm ci", { "npm run dev": inBackground });
		try {
			const wait = "while kill -0 $! && ! grep -q 'Ready on' dev.log; do sleep 0.1; done";
			const log = await run(`${wait}; cat dev.log`);
			const [, url = log] = /Ready on (http:\S+)/.exec(log) ?? [];
			await expectAnswers(operator, url);
			await expectPlantOfProgram(operator, url);
			await expectBackup(operator, url);
		} finally {
			await run("kill $!; wait $!; true");
		}
		await run("echo ACCESS_TOKEN=another > .dev.vars && npm run dev -- --help");
		expect(await run("cat .dev.vars"), "a file that is there is kept").toBe("ACCESS_TOKEN=another");
	});

	scene("deploys a new service", async ({ home, account, type, run }) => {
		writeEnv(join(home, "clone"), account);
		await run("git remote add origin ../theirs.git && git init -q --bare ../origin.git");
		await type("Deploy", "git switch main", { "<repository>": "../origin.git" });
		expect(await type("Deploy", "npx wrangler whoami")).toContain(account.id);
		const id = idIn(await type("Deploy", "npx wrangler kv namespace create"));
		expect(account.namespaces.get(id)?.title).toBe(`${workerName}-plants`);
		writeIds(join(home, "clone"), account, id);
		await type("Deploy", "git commit");
		const token = (await type("Deploy", "token=")).slice(0, 64);
		const worker = account.workers.get(workerName);
		expect(worker?.live.secrets).toEqual(new Map([["ACCESS_TOKEN", token]]));
		await type("Deploy", "npm run deploy");
		const message = await run("git -C ../origin.git rev-parse main");
		expect(worker?.live).toMatchObject({ message, namespace: id });
		expect(worker?.live.bundle).toContain("/plants");
	});
});

it("has typed all but this, which needs a browser", () => {
	expect(untypedCommands("README.md", "Deploy"), `README.md: ${untypedHint}`).toEqual([
		"npm ci && npx wrangler login",
	]);
	expect(unguardedCommands("README.md", "Deploy")).toEqual([]);
});

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
