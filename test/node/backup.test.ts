// `npm run backup`, with Wrangler's local KV and with a stand-in for Wrangler.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";

/** A new folder for each test. It is the home, has the local KV, and comes first in PATH. */
let home: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "home-"));
});

function run(command: string, ...args: string[]) {
	const PATH = `${home}:${process.env["PATH"]}`;
	// With --inspect in NODE_OPTIONS, say, each Node would print a line of its own.
	const usual = { NODE_OPTIONS: "", NODE_DEBUG: "", WRANGLER_WRITE_LOGS: "" };
	const env = { ...process.env, ...usual, HOME: home, PATH, WRANGLER_LOG_PATH: join(home, "logs") };
	return promisify(execFile)(command, args, { env });
}

const local = () => ["--local", "--persist-to", join(home, "kv")];

/** Backs up, and returns the path and the text of the file. */
async function backUp(...more: string[]) {
	const { stdout, stderr } = await run("node", "scripts/backup.ts", ...local(), ...more);
	expect(stderr, "what cron would mail").toBe("");
	const file = stdout.trim();
	return { file, text: readFileSync(file, "utf8") };
}

/**
 * Puts a program in place of Wrangler. It lists this many plants. If it is asked for the values of
 * `keys`, at most a hundred as in Wrangler, it runs the statements `getValues`.
 */
function replaceWrangler(plants: number, getValues: string) {
	const list = JSON.stringify(Array.from({ length: plants }, (_, id) => ({ name: `${id}` })));
	const program = `#!/usr/bin/env node
import fs from "node:fs";
const [, , , noun, , file] = process.argv;
if (noun === "key") {
	console.log('${list}');
	process.exit();
}
const keys = JSON.parse(fs.readFileSync(file));
if (keys.length > 100) throw new Error("A maximum of 100 keys.");
${getValues}`;
	writeFileSync(join(home, "wrangler"), program, { mode: 0o700 });
}

it("every plant is saved exactly, in the format that Wrangler restores", async () => {
	const name = String.raw`"\"\\\n🌵\ud83c"`;
	const ids = ["-9223372036854775808", "5", "9223372036854775807"];
	const plants = ids.map((key) => ({ key, value: `{"id":${key},"name":${name}}` }));
	const source = join(home, "source.json");
	writeFileSync(source, JSON.stringify(plants));
	await run("wrangler", "kv", "bulk", "put", source, "--binding", "PLANTS", ...local());
	const { file, text } = await backUp();
	expect(file).toMatch(/T\d\d-\d\d-\d\d-3-plants\.json$/);
	const modes = [file, dirname(file)].map((path) => statSync(path).mode & 0o777);
	expect(modes).toEqual([0o600, 0o700]);
	// The same plants as in the file that Wrangler has just restored.
	expect(JSON.parse(text)).toEqual(plants);
	// Each plant has a line of its own, which is the same in every backup.
	const lines = text.split("\n").filter((line) => line.startsWith("{"));
	expect(lines).toEqual(plants.map((plant) => JSON.stringify(plant)));
	for (const log of readdirSync(join(home, "logs"))) {
		expect(readFileSync(join(home, "logs", log), "utf8"), "Wrangler's own log").not.toContain("🌵");
	}
});

it("all plants of two environments are saved, in several calls, of which one fails once", async () => {
	// With `recursive`, mkdirSync returns the folder only if it has made it: the first time.
	const isFirst = "fs.mkdirSync(process.env.HOME + '/once', { recursive: true })";
	const values = "Object.fromEntries(keys.map((key) => [key, 'x'.repeat(100_000)]))";
	const getValues = `if (${isFirst}) throw new Error(); console.log(JSON.stringify(${values}))`;
	replaceWrangler(150, getValues);
	const { text } = await backUp();
	expect(JSON.parse(text)).toHaveLength(150);
	const second = await backUp("--env", "staging");
	expect(second.text).toBe(text);
	expect(second.file).toContain("/plant-backups/staging/");
});

it.each([
	["there are no plants", 0, "", /no plants/],
	["a plant has no value", 2, `console.log('{"0":"{}","1":null}')`, /no value/],
	["Wrangler is refused", 2, 'throw new Error("refused")', /refused/],
	["it gets SIGINT", 2, 'process.kill(process.ppid, "SIGINT")', /^$/],
	["it gets SIGTERM", 2, 'process.kill(process.ppid, "SIGTERM")', /^$/],
])("if %s, it fails, and nothing is left", async (_, plants, getValues, message) => {
	replaceWrangler(plants, getValues);
	await expect(backUp()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
	expect(readdirSync(join(home, "plant-backups/local"))).toEqual([]);
});

it("without --remote or --local, it fails: Wrangler would take the local plants", async () => {
	replaceWrangler(1, 'console.log(`{"0":"{}"}`)');
	const stderr = "Run this: npm run backup -- --remote\n";
	await expect(run("node", "scripts/backup.ts")).rejects.toMatchObject({ code: 1, stderr });
});
