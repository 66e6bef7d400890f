// `npm run backup` and `npm run restore`, with a stand-in for Wrangler. (readme.test.ts has them with
// Wrangler itself, and a plant that the service has stored.)
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { plainEnvironment } from "../support/environment.ts";
import type { Fault, Kv } from "../support/fake-wrangler.ts";

/** A new folder for each test. It is the home, and comes first in PATH. */
let home: string;
/** The folder for temporary files. */
let temporary: string;
beforeEach(() => {
	home = fs.mkdtempSync(join(tmpdir(), "home-"));
	temporary = fs.mkdtempSync(join(tmpdir(), "temporary-"));
	const wrangler = join(import.meta.dirname, "../support/fake-wrangler.ts");
	fs.symlinkSync(wrangler, join(home, "wrangler.ts"));
});

/** Runs a script in the home. */
function run(script: string, args: string[], variables: Record<string, string> = {}) {
	const PATH = `${home}:${process.env["PATH"]}`;
	const env = { ...plainEnvironment(home), PATH, TMPDIR: temporary, ...variables };
	const path = join(import.meta.dirname, "../../scripts", script);
	return promisify(execFile)("node", [path, ...args], { cwd: home, env });
}

/** Puts a program in place of Wrangler. Its KV has these plants. FAULT happens before these calls. */
function replaceWrangler(kv: Kv, before = "", fault: Fault | "" = "") {
	fs.writeFileSync(join(home, "kv.json"), JSON.stringify(kv));
	const program = `#!/bin/sh\nBEFORE='${before}' FAULT=${fault} exec node "$HOME/wrangler.ts" "$@"\n`;
	fs.writeFileSync(join(home, "wrangler"), program, { mode: 0o700 });
}

/** Returns what is in KV. */
const readKv = (): Kv => JSON.parse(fs.readFileSync(join(home, "kv.json"), "utf8"));

/** Returns this many plants for KV, with ids from 0 up. */
const plantsOf = (count: number): Kv =>
	Object.fromEntries(
		Array.from({ length: count }, (_, id) => [id, `{"id":${id},"name":"🌵\u2028"}`]),
	);

/** Writes a backup, alone in its folder, and returns its path. */
function save(plants: Kv) {
	const file = join(fs.mkdtempSync(join(home, "saved-")), "plants.json");
	const lines = Object.entries(plants).map(([key, value]) => JSON.stringify({ key, value }));
	fs.writeFileSync(file, `[\n${lines.join("\n,\n")}\n]\n`);
	return file;
}

/** Backs up, and returns the path and the text of the file. */
async function backUp(args = ["--remote"], variables: Record<string, string> = {}) {
	const { stdout, stderr } = await run("backup.ts", args, variables);
	expect(stderr, "what cron would mail").toBe("");
	const file = stdout.trim();
	return { file, text: fs.readFileSync(file, "utf8") };
}

/** Restores, and returns what an operator sees. */
async function restore(file: string, ...options: string[]) {
	const { stdout } = await run("restore.ts", [file, "--remote", ...options]);
	return stdout;
}

describe("a backup", () => {
	it("has every plant exactly, each in a line that is the same in every backup", async () => {
		const long = "x".repeat(2 ** 21);
		const plants = { ...plantsOf(150), "-5": String.raw`{"id":-5,"name":"\"\\\n\ud83c${long}"}` };
		replaceWrangler(plants);
		const { file, text } = await backUp();
		expect(file).toMatch(/\/plant-backups\/[\d-]+T[\d-]+Z-151-plants\.json$/);
		const modes = [file, dirname(file)].map((path) => fs.statSync(path).mode & 0o777);
		expect(modes).toEqual([0o600, 0o700]);
		expect(text).toBe(fs.readFileSync(save(plants), "utf8"));
		// The format of `wrangler kv bulk put`.
		expect(JSON.parse(text)).toContainEqual({ key: "-5", value: plants["-5"] });
	});

	it.each(["list", "get"])("is made although `%s` fails once", async (verb) => {
		replaceWrangler(plantsOf(150), `${verb} 1$`, "fail");
		expect(JSON.parse((await backUp()).text)).toHaveLength(150);
	});

	it.each<[string, number, string, Fault | "", RegExp]>([
		["there are no plants", 0, "", "", /KV has no plants/],
		["there is no such environment", 2, "list", "fail", /refused/],
		["a plant has no value", 2, "get", "deletePlant", /no value/],
		["Wrangler is refused", 2, "get", "fail", /refused/],
		["Wrangler is killed while it lists", 2, "list", "end", /Wrangler was ended/],
		["Wrangler is killed while it reads", 2, "get", "end", /Wrangler was ended/],
		["it gets a signal", 2, "get", "interrupt", /^Interrupted/],
	])("if %s, fails, and nothing is left", async (_, count, before, fault, message) => {
		fs.mkdirSync(join(home, "plant-backups"));
		replaceWrangler(plantsOf(count), before, fault);
		const stderr = expect.stringMatching(message);
		const environment = before === "list" ? "--env=nope" : "--env=";
		const result = backUp(["--remote", environment]);
		await expect(result).rejects.toMatchObject({ code: 1, stdout: "", stderr });
		expect(fs.readdirSync(join(home, "plant-backups"))).toEqual([]);
	});

	it("has a key that is no id, which must be deleted before a restore", async () => {
		replaceWrangler({ ...plantsOf(1), up: "{}", "9223372036854775808": "{}" });
		const { stdout, stderr } = await run("backup.ts", ["--remote"]);
		expect(stderr).toMatch(/: \["up","9223372036854775808"\]\n.+ delete .+ --remote --env=\n$/);
		expect(JSON.parse(fs.readFileSync(stdout.trim(), "utf8"))).toHaveLength(3);
	});
});

describe("a backup and a restore know the environment", () => {
	it.each<[string, string, string[], Record<string, string>, string]>([
		["production", "", [], {}, ""],
		["--env", "staging", ["--env", "staging"], { CLOUDFLARE_ENV: "other" }, ""],
		["-e", "staging", ["-e", "staging"], {}, "CLOUDFLARE_ENV=other"],
		["CLOUDFLARE_ENV", "staging", [], { CLOUDFLARE_ENV: "staging" }, "CLOUDFLARE_ENV=other"],
		[".env", "staging", [], {}, "CLOUDFLARE_ENV=staging"],
		["an empty --env", "", ["--env="], { CLOUDFLARE_ENV: "staging" }, ""],
	])("of %s", async (_, name, options, variables, dotenv) => {
		replaceWrangler(plantsOf(1));
		fs.writeFileSync(join(home, ".env"), dotenv);
		const { file } = await backUp(["--remote", ...options], variables);
		expect(dirname(file)).toBe(join(home, "plant-backups", name));
		replaceWrangler({});
		await run("restore.ts", [file, "--remote", ...options], variables);
		const calls = fs.readFileSync(join(home, "calls.txt"), "utf8");
		const ends = ` --config wrangler.toml --remote --env=${name}\n`;
		expect(calls).toMatch(new RegExp(`^(kv .+${ends})+$`));
	});
});

const usages = {
	"backup.ts": "Usage: npm run backup -- (--remote | --local) [--env=<name>]\n",
	"restore.ts":
		"Usage: npm run restore -- <file> (--remote | --local) [--id=<id>]... [--replace] [--env=<name>]\n",
};
describe("a command that is not valid prints its usage", () => {
	it.each<[keyof typeof usages, string[], Record<string, string>]>([
		["backup.ts", [], {}],
		["backup.ts", ["--remote", "--local"], {}],
		["backup.ts", ["--remote", "plants.json"], {}],
		["backup.ts", ["--remote", "--replace"], {}],
		["backup.ts", ["--remote", "--env-file", ".env.st"], {}],
		["backup.ts", ["--remote", "-e=staging"], {}],
		["backup.ts", ["--remote"], { npm_config_env: "" }],
		["restore.ts", ["--remote"], {}],
		["restore.ts", ["plants.json", "more.json", "--remote"], {}],
		["restore.ts", ["plants.json", "--id=5"], {}],
		["restore.ts", ["plants.json", "--remote", "--id"], {}],
		["restore.ts", ["plants.json", "--remote"], { npm_config_id: "5" }],
	])("%s %j, after npm has kept %j", async (script, args, kept) => {
		replaceWrangler({});
		// Node itself reads the file of --env-file.
		fs.writeFileSync(join(home, ".env.st"), "CLOUDFLARE_ENV=staging");
		const failure = { code: 1, stdout: "", stderr: usages[script] };
		await expect(run(script, args, kept)).rejects.toMatchObject(failure);
		expect(fs.existsSync(join(home, "calls.txt"))).toBe(false);
	});
	it("--help is no failure", async () => {
		expect(await run("backup.ts", ["--help"])).toEqual({ stdout: "", stderr: usages["backup.ts"] });
	});
});

describe("a restore", () => {
	const plants = plantsOf(3);
	const changed = { "1": "changed by a client", "2": "changed by a client" };

	it("writes what KV lacks, with no file beside the backup, whose disk may be read-only", async () => {
		replaceWrangler(changed);
		const file = save(plants);
		expect(await restore(file)).toBe("Plants written: 1.\n");
		expect(readKv()).toEqual({ ...plants, ...changed });
		expect(fs.readFileSync(join(home, "calls.txt"), "utf8")).toContain(` put ${temporary}/`);
		expect(await restore(file)).toBe("Plants written: 0.\n");
	});

	it("reads a file that an editor on Windows has saved", async () => {
		replaceWrangler({});
		const file = save(plants);
		const text = fs.readFileSync(file, "utf8");
		fs.writeFileSync(file, `\ufeff${text.replaceAll("\n", "\r\n")}`);
		expect(await restore(file)).toBe("Plants written: 3.\n");
		expect(readKv()).toEqual(plants);
	});

	it("replaces the plants that it is told, where they differ", async () => {
		replaceWrangler(changed);
		const file = save(plants);
		expect(await restore(file, "--id=0", "--id=1")).toBe("Plants written: 2.\n");
		expect(readKv()).toEqual({ ...plants, "2": changed["2"] });
		expect(await restore(file, "--id=0", "--id=1")).toBe("Plants written: 0.\n");
	});

	it("leaves alone what a client creates meanwhile", async () => {
		replaceWrangler({}, "get", "createPlant");
		expect(await restore(save(plants))).toBe("Plants written: 2.\n");
		expect(readKv()).toEqual({ ...plants, "1": "by a client" });
	});

	it("looks again if a write has failed", async () => {
		replaceWrangler({}, "put 1$", "createPlantAndFail");
		expect(await restore(save(plants))).toBe("Plants written: 2.\n");
		expect(readKv()).toEqual({ ...plants, "1": "by a client" });
	});

	it.each<[string, Fault, RegExp]>([
		["KV refuses the second part", "fail", /refused/],
		["Wrangler is killed", "end", /Wrangler was ended/],
		["it gets a signal", "interrupt", /^Interrupted/],
	])("that stops because %s can be run again", async (_, fault, message) => {
		replaceWrangler({}, "put [^1]$", fault);
		const file = save(plantsOf(150));
		await expect(restore(file)).rejects.toMatchObject({
			code: 1,
			stdout: "Plants written: 100.\nRun this again, to write the others.\n",
			stderr: expect.stringMatching(message),
		});
		expect(fs.readdirSync(temporary)).toEqual([]);
		// A Wrangler that outlives the restore would write meanwhile.
		await setTimeout(500);
		expect(readKv()).toEqual(plantsOf(100));
		replaceWrangler(readKv());
		await restore(file);
		expect(readKv()).toEqual(plantsOf(150));
	});

	it("that stops before its first write does not say what it has written", async () => {
		replaceWrangler({}, "put", "fail");
		await expect(restore(save(plants))).rejects.toMatchObject({ code: 1, stdout: "" });
	});
});

describe("a restore refuses before it calls Wrangler", () => {
	const plant = (key: string) => JSON.stringify({ key, value: "{}" });
	const backup = `[\n${plant("0")}\n,\n${plant("1")}\n]\n`;
	it.each<[string, string | Buffer, string[], string]>([
		["a compressed file", gzipSync(backup), [], "line 1: not text in UTF-8"],
		["a backup without its end", backup.slice(0, -2), [], "line 5: the end is missing"],
		["a backup that ends within a line", backup.slice(0, -9), [], "line 4: not a whole plant"],
		["a backup without its beginning", backup.slice(2), [], "line 1: a backup begins with [[]"],
		["one laid out in one line", `[${plant("0")}]`, [], "line 1: a backup begins with [[]"],
		["two backups", backup + backup, [], "line 6: a backup begins"],
		["one laid out by jq", '[\n  {\n    "key": "0",\n', [], "line 2: not a whole plant"],
		["a value that is no string", backup.replace('"{}"', "1"), [], "line 2: not a whole plant"],
		["a key that is no id", backup.replace('"1"', '"up"'), ["--id=0"], 'line 4: the key "up" is'],
		["a key above int64", backup.replace('"1"', `"${2n ** 63n}"`), [], 'line 4: the key "92233'],
		["an id that is not in the file", backup, ["--id=1", "--id=2"], "has no plant 2"],
	])("%s", async (_, content, options, message) => {
		const file = join(home, "plants.json");
		fs.writeFileSync(file, content);
		replaceWrangler({});
		const stderr = expect.stringMatching(message);
		await expect(restore(file, ...options)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
		expect(fs.existsSync(join(home, "calls.txt"))).toBe(false);
	});
});
