// `npm run backup` and `npm run restore`, with Wrangler's local KV and with a stand-in for Wrangler.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, vi } from "vitest";

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

/** Restores, and returns what an operator sees. */
async function restore(file: string, ...options: string[]) {
	const { stdout } = await run("node", "scripts/restore.ts", file, ...local(), ...options);
	return stdout;
}

/** Returns plants as they stand in a backup, with the ids from 0 up. */
const plantsOf = (count: number) =>
	Array.from({ length: count }, (_, id) => ({ key: `${id}`, value: `{"id":${id},"name":"🌵"}` }));

/** Writes a file of JSON, alone in its folder, and returns its path. */
function save(plants: object | string) {
	const file = join(mkdtempSync(join(home, "saved-")), "plants.json");
	writeFileSync(file, typeof plants === "string" ? plants : JSON.stringify(plants));
	return file;
}

/** Puts plants into the local KV. */
const putInKv = (plants: object) =>
	run("wrangler", "kv", "bulk", "put", save(plants), "--binding", "PLANTS", ...local());

/**
 * Puts a program in place of Wrangler. It lists this many plants. For other commands, it runs the
 * statements `respond`, with what is in the file, at most a hundred keys or plants, as `items`.
 */
function replaceWrangler(plants: number, respond: string) {
	const list = JSON.stringify(Array.from({ length: plants }, (_, id) => ({ name: `${id}` })));
	const program = `#!/usr/bin/env node
import fs from "node:fs";
const [, , , noun, , file] = process.argv;
fs.writeFileSync(process.env.HOME + "/called", "");
if (noun === "key") {
	console.log('${list}');
	process.exit();
}
const items = JSON.parse(fs.readFileSync(file));
if (items.length > 100) throw new Error("A maximum of 100 keys.");
${respond}`;
	writeFileSync(join(home, "wrangler"), program, { mode: 0o700 });
}

it("every plant is saved exactly, in the format that Wrangler restores", async () => {
	const name = String.raw`"\"\\\n🌵\ud83c"`;
	const ids = ["-9223372036854775808", "5", "9223372036854775807"];
	const plants = ids.map((key) => ({ key, value: `{"id":${key},"name":${name}}` }));
	await putInKv(plants);
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
	const values = "Object.fromEntries(items.map((key) => [key, 'x'.repeat(100_000)]))";
	const getValues = `if (${isFirst}) throw new Error(); console.log(JSON.stringify(${values}))`;
	replaceWrangler(150, getValues);
	const { text } = await backUp();
	expect(JSON.parse(text)).toHaveLength(150);
	const second = await backUp("--env", "staging");
	vi.stubEnv("CLOUDFLARE_ENV", "staging");
	const third = await backUp();
	for (const other of [second, third]) {
		expect(other.text).toBe(text);
		expect(other.file).toContain("/plant-backups/staging/");
	}
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

it.each([
	["backup", [], "npm run backup --"],
	["restore", [], "npm run restore -- <file>"],
	["restore", ["saved.json", "--id=5"], "npm run restore -- saved.json --id=5"],
])(
	"without --remote or --local, the %s fails: Wrangler would take the local plants",
	async (...row) => {
		const [script, args, command] = row;
		replaceWrangler(1, 'console.log(`{"0":"{}"}`)');
		const result = run("node", `scripts/${script}.ts`, ...args);
		await expect(result).rejects.toMatchObject({
			code: 1,
			stderr: `Run this: ${command} --remote\n`,
		});
	},
);

it("a restore writes what KV lacks, and replaces only what it is told to", async () => {
	const plants = [{ key: "-17", value: '{"id":-17,"name":"🌵"}' }, ...plantsOf(3)];
	const changed = ["1", "2"].map((key) => ({ key, value: "changed by a client" }));
	await putInKv(changed);
	const file = save(plants);
	expect(await restore(file)).toBe("Plants written: 2.\n");
	expect(JSON.parse((await backUp()).text)).toEqual([...plants.slice(0, 2), ...changed]);
	expect(await restore(file)).toBe("Nothing is missing.\nPlants written: 0.\n");
	expect(await restore(file, "--id=1", "--id=-17")).toBe("Plants written: 2.\n");
	expect(JSON.parse((await backUp()).text)).toEqual([...plants.slice(0, 3), changed[1]]);
	expect(await restore(file, "--replace")).toBe("Plants written: 4.\n");
	expect(JSON.parse((await backUp()).text)).toEqual(plants);
});

describe("a restore that fails says what is written, and leaves no file", () => {
	const inSecondCall = "if (items.length === 40)";
	it.each([
		["KV refuses the second part", `${inSecondCall} throw new Error("refused")`, /refused/],
		["it gets SIGINT", `${inSecondCall} process.kill(process.ppid, "SIGINT")`, /^$/],
	])("%s", async (_, respond, message) => {
		const file = save(plantsOf(150));
		replaceWrangler(10, respond);
		await expect(restore(file)).rejects.toMatchObject({
			code: 1,
			stdout: "Plants written: 100.\nRun this again, to write the others.\n",
			stderr: expect.stringMatching(message),
		});
		expect(readdirSync(dirname(file))).toEqual(["plants.json"]);
	});
});

describe("a restore refuses before it calls Wrangler", () => {
	const backup = JSON.stringify(plantsOf(2));
	const refusal = /is not a whole backup, or has a key that is no id/;
	it.each([
		["another JSON", '{"0":"{}"}', [], refusal],
		["no plants at all", "[]", [], refusal],
		["a part of a backup", backup.slice(0, -1), [], refusal],
		["a key that is no id", backup.replace('"1"', '"plant"'), [], refusal],
		["a key above int64", backup.replace('"1"', '"9223372036854775808"'), [], refusal],
		["a value that is no string", backup.replace(/"value":".*?"}"/, '"value":1'), [], refusal],
		["an id that is not in the file", backup, ["--id=1", "--id=2"], /has no plant 2/],
	])("%s", async (_, content, options, message) => {
		const file = save(content);
		replaceWrangler(0, "");
		const stderr = expect.stringMatching(message);
		await expect(restore(file, ...options)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
		expect(readdirSync(home)).not.toContain("called");
	});
});
