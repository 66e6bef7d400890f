// What `npm run deploy` refuses, and what it gives to Wrangler: seen by a recorder in place of npm and Wrangler.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A token that may go live, well over the shortest. */
const strong = "Zm9vYmFy-0123456789._~+/abcdefghijklmnopqrstuvwxyz0123456789==";
/** One of exactly so many characters. */
const ofLength = (length: number) => "x".repeat(length);

const RECORDER = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const [, command, ...args] = process.argv;
const file = args[args.indexOf("--secrets-file") + 1];
const secrets = args.includes("--secrets-file") && {
	file, content: JSON.parse(readFileSync(file, "utf8")), mode: statSync(file).mode & 0o777,
};
const { PATH, HOME, ...env } = process.env;
appendFileSync(process.env.RECORD, JSON.stringify({ command: command.split("/").at(-1), args, env, secrets }) + "\\n");
if (existsSync("write-back")) writeFileSync("wrangler.toml", "id = 1");
if (existsSync(command.split("/").at(-1) + "-fails")) process.exit(7);
`;

/** A call of npm or Wrangler, as the recorder saw it. */
interface Call {
	command: string;
	args: string[];
	env: Record<string, string>;
	secrets: false | { file: string; content: unknown; mode: number };
}

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "plant-store-deploy-test-"));
	mkdirSync(join(folder, "bin"));
	for (const command of ["npm", "wrangler"]) {
		writeFileSync(join(folder, "bin", command), RECORDER, { mode: 0o755 });
	}
	for (const file of [".env.example", "wrangler.toml"]) copyFileSync(file, join(folder, file));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, content: string) => writeFileSync(join(folder, file), content);

/** Runs the deploy in the folder, and returns how it ended and what it called. */
function deploy(args: string[] = [], env: Record<string, string> = {}) {
	const record = join(folder, "record");
	writeFileSync(record, "");
	const script = join(process.cwd(), "operate/deploy.ts");
	const path = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
	const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
		cwd: folder,
		encoding: "utf8",
		env: { ...process.env, ...env, PATH: path, RECORD: record },
	});
	const lines = readFileSync(record, "utf8").split("\n").filter(Boolean);
	const calls = lines.map((line): Call => JSON.parse(line));
	return { status, stderr, calls, upload: calls.find(({ command }) => command === "wrangler") };
}

describe("refuses, before it runs anything", () => {
	it.each([
		["no .env.production", undefined],
		["no ACCESS_TOKEN in it", "OTHER=x"],
		["an empty one", "ACCESS_TOKEN="],
		["a short one", "ACCESS_TOKEN=secret"],
		["one character less than 32", `ACCESS_TOKEN=${ofLength(31)}`],
		["a short one beside a strong one", `ACCESS_TOKEN=${strong},${ofLength(31)}`],
		["the one for local development", "ACCESS_TOKEN=local-development-token"],
		["that one beside a strong one", `ACCESS_TOKEN=${strong},local-development-token`],
		["a blank one beside a strong one", `ACCESS_TOKEN=${strong},`],
		["a dollar sign", `ACCESS_TOKEN=${strong}$HOME`],
		["quotes", `ACCESS_TOKEN="${strong}"`],
		["a comment behind it", `ACCESS_TOKEN=${strong} # production`],
		["a comment in it", `ACCESS_TOKEN=${strong}#${strong}`],
		["what no header carries", `ACCESS_TOKEN=${strong}é`],
		["a space in it", `ACCESS_TOKEN=${strong} ${strong}`],
		["two lines", `ACCESS_TOKEN=${strong}\nACCESS_TOKEN=${strong}x`],
	])("%s", (_, content) => {
		if (content !== undefined) write(".env.production", `${content}\n`);
		const { status, stderr, calls } = deploy([], { ACCESS_TOKEN: strong });
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toMatch(/^Not deployed: .*\.env\.production/);
		expect(stderr).not.toContain(strong);
	});
	it.each([
		["a token that production has", `ACCESS_TOKEN=${strong}\n`],
		["it among others", `ACCESS_TOKEN=${ofLength(40)},${strong}\n`],
	])("for staging, %s", (_, content) => {
		write(".env.production", `ACCESS_TOKEN=${strong}\n`);
		write(".env.staging", content);
		const { status, stderr, calls } = deploy(["--env", "staging"]);
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toContain(".env.staging has a token of .env.production");
	});
	it.each([
		["an environment that wrangler.toml does not have", ["--env", "qa"]],
		["another Worker's name", ["--name", "plant-store-staging"]],
		["a domain", ["--domain", "plants.example.com"]],
		["another file of secrets", ["--secrets-file", ".env.example"]],
		["an argument that is not an option", ["staging"]],
	])("%s", (_, args) => {
		for (const name of ["production", "staging", "qa"]) {
			write(`.env.${name}`, `ACCESS_TOKEN=${strong}${name}\n`);
		}
		const { status, stderr, calls } = deploy(args);
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toContain("wrangler.toml");
	});
});

describe("uploads the token of its file, to the letter and alone", () => {
	it.each([
		["one of 32 characters", ofLength(32), `ACCESS_TOKEN=${ofLength(32)}\n`],
		["one with every character that a token may have", strong, `ACCESS_TOKEN=${strong}\n`],
		["two", `${strong},${ofLength(40)}`, `ACCESS_TOKEN=${strong},${ofLength(40)}`],
		["beside other variables", strong, `OTHER=x\nACCESS_TOKEN=${strong}\r\nMORE=$HOME\n`],
	])("%s", (_, token, content) => {
		write(".env.production", content);
		const { status, calls, upload } = deploy([], {
			ACCESS_TOKEN: "local-development-token",
			CLOUDFLARE_ENV: "staging",
		});
		expect(status).toBe(0);
		expect(calls.map(({ command, args }) => [command, ...args])).toEqual([
			["npm", "run", "check"],
			["npm", "test"],
			["wrangler", "deploy", "--env=", "--secrets-file", expect.any(String)],
		]);
		expect(upload?.secrets).toMatchObject({ content: { ACCESS_TOKEN: token }, mode: 0o600 });
		expect(upload?.env).not.toHaveProperty("ACCESS_TOKEN");
		expect(upload?.env).toMatchObject({ WRANGLER_SEND_METRICS: "false" });
	});
	it("for staging from a file of its own, as an environment of its own", () => {
		write(".env.production", `ACCESS_TOKEN=${strong}\n`);
		write(".env.staging", `ACCESS_TOKEN=${ofLength(40)}\n`);
		const { status, upload } = deploy(["--env", "staging"]);
		expect(status).toBe(0);
		expect(upload?.args.slice(0, 2)).toEqual(["deploy", "--env=staging"]);
		expect(upload?.secrets).toMatchObject({ content: { ACCESS_TOKEN: ofLength(40) } });
	});
});

describe("with a token that may go live", () => {
	beforeEach(() => write(".env.production", `ACCESS_TOKEN=${strong}\n`));
	it("gives credentials to the upload alone, and not to checks and tests", () => {
		const credentials = { CLOUDFLARE_API_TOKEN: "api", CLOUDFLARE_ACCOUNT_ID: "account" };
		const { calls } = deploy([], { ...credentials, ACCESS_TOKEN: "x" });
		const [check, test, upload] = calls;
		for (const name of [...Object.keys(credentials), "ACCESS_TOKEN"]) {
			expect(check?.env).not.toHaveProperty(name);
			expect(test?.env).not.toHaveProperty(name);
		}
		expect(upload?.env).toMatchObject(credentials);
	});
	it("keeps nothing of the secret on disk, whether the upload works or not", () => {
		for (const fails of [false, true]) {
			if (fails) write("wrangler-fails", "");
			const { status, upload } = deploy();
			expect(status).toBe(fails ? 7 : 0);
			const { file = "" } = upload?.secrets || {};
			expect(() => readFileSync(file)).toThrow("ENOENT");
		}
	});
	it("keeps wrangler.toml as it is, without a namespace's id", () => {
		write("write-back", "");
		expect(deploy().status).toBe(0);
		expect(readFileSync(join(folder, "wrangler.toml"), "utf8")).toBe(
			readFileSync("wrangler.toml", "utf8"),
		);
	});
	it("uploads nothing when a check or a test fails, and says so", () => {
		write("npm-fails", "");
		const { status, stderr, upload } = deploy();
		expect({ status, upload }).toEqual({ status: 7, upload: undefined });
		expect(stderr).toMatch(/^Not deployed: npm run failed/);
	});
	it("uploads nothing in a dry run", () => {
		expect(deploy(["--dry-run"]).upload?.args.at(-1)).toBe("--dry-run");
	});
});
