// What `npm run deploy` refuses, and what it gives to Wrangler: seen by a recorder in place of npm and Wrangler.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Call } from "../support/recorder.ts";

/** A token that may go live, well over the shortest. */
const strong = "Zm9vYmFy-0123456789._~+/abcdefghijklmnopqrstuvwxyz0123456789==";
/** One of exactly so many characters. */
const ofLength = (length: number) => "x".repeat(length);

const toml = readFileSync("test/support/wrangler.toml", "utf8");

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "plant-store-deploy-test-"));
	for (const name of ["bin", "dist"]) mkdirSync(join(folder, name));
	const recorder = join(process.cwd(), "test/support/recorder.ts");
	for (const command of ["npm", "wrangler"]) {
		const script = `#!/bin/sh\nexec "${process.execPath}" "${recorder}" ${command} "$@"\n`;
		writeFileSync(join(folder, "bin", command), script, { mode: 0o755 });
	}
	copyFileSync(".env.example", join(folder, ".env.example"));
	write("wrangler.toml", toml);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, content: string) => writeFileSync(join(folder, file), content);

/** What is left in the folder by a deploy. */
const files = () => readdirSync(folder).filter((name) => name.startsWith("wrangler"));

/** Runs the deploy in the folder, and returns how it ended and what it called. */
async function deploy(
	args: string[] = [],
	env: Record<string, string> = {},
	during?: (child: ChildProcess) => void,
) {
	const record = join(folder, "record");
	writeFileSync(record, "");
	const script = join(process.cwd(), "operate/deploy.ts");
	const path = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
	const child = spawn(process.execPath, [script, ...args], {
		cwd: folder,
		env: { ...process.env, ...env, PATH: path, RECORD: record },
	});
	during?.(child);
	const output = Promise.all([text(child.stdout), text(child.stderr)]);
	const [status] = await once(child, "close");
	const [stdout, stderr] = await output;
	const lines = readFileSync(record, "utf8").split("\n").filter(Boolean);
	const calls = lines.map((line): Call => JSON.parse(line));
	const upload = calls.find(({ command }) => command === "wrangler");
	return { status, stdout, stderr, calls, upload };
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
		["another variable", `ACCESS_TOKEN=${strong}\nOTHER=x`],
		["a comment above it", `# production\nACCESS_TOKEN=${strong}`],
		["export before it", `export ACCESS_TOKEN=${strong}`],
		["spaces around the equals sign", `ACCESS_TOKEN = ${strong}`],
	])("%s", async (_, content) => {
		if (content !== undefined) write(".env.production", `${content}\n`);
		const { status, stderr, calls } = await deploy([], { ACCESS_TOKEN: strong });
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toMatch(/^Not deployed: .*\.env\.production/);
		expect(stderr).toMatch(/Nothing has changed online\.\n$/);
		expect(stderr).not.toContain(strong);
	});
	it.each([
		["a token that production has", `ACCESS_TOKEN=${strong}\n`],
		["it among others", `ACCESS_TOKEN=${ofLength(40)},${strong}\n`],
	])("for staging, %s", async (_, content) => {
		write(".env.production", `ACCESS_TOKEN=${strong}\n`);
		write(".env.staging", content);
		const { status, stderr, calls } = await deploy(["--env", "staging"]);
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toContain(".env.staging has a token of .env.production");
	});
	it.each([
		["an environment that wrangler.toml does not have", ["--env", "qa"], {}, "no [env.qa]"],
		["another Worker's name", ["--name", "plant-store-staging"], {}, "'--name'"],
		["a domain", ["--domain", "plants.example.com"], {}, "'--domain'"],
		["another file of secrets", ["--secrets-file", ".env.example"], {}, "'--secrets-file'"],
		["an argument that is not an option", ["staging"], {}, "'staging'"],
		["an option that npm took", ["staging"], { npm_config_env: "true" }, "npm run deploy -- --env"],
		["npm's --dry-run", [], { npm_config_dry_run: "true" }, "npm run deploy -- --dry-run"],
	])("%s", async (_, args, env, message) => {
		for (const name of ["production", "staging", "qa"]) {
			write(`.env.${name}`, `ACCESS_TOKEN=${strong}${name}\n`);
		}
		const { status, stderr, calls } = await deploy(args, env);
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toContain(message);
	});
	it.each([
		["missing", undefined],
		["not TOML", "name = "],
		["without a name", 'main = "src/index.ts"'],
	])("a wrangler.toml that is %s", async (_, content) => {
		write(".env.production", `ACCESS_TOKEN=${strong}\n`);
		if (content) write("wrangler.toml", content);
		else rmSync(join(folder, "wrangler.toml"));
		const { status, stderr, calls } = await deploy();
		expect({ status, calls }).toEqual({ status: 1, calls: [] });
		expect(stderr).toMatch(
			/^Not deployed: wrangler\.toml can't be read: .+\nNothing has changed online\.\n$/,
		);
	});
});

describe("uploads the token of its file, exactly as written and alone", () => {
	it.each([
		["one of 32 characters", `ACCESS_TOKEN=${ofLength(32)}\n`],
		["one with every character that a token may have", `ACCESS_TOKEN=${strong}\n`],
		["two, without a line end", `ACCESS_TOKEN=${strong},${ofLength(40)}`],
		["two with spaces, and a line end of Windows", `ACCESS_TOKEN=${strong} , ${ofLength(40)}\r\n`],
	])("%s", async (_, content) => {
		write(".env.production", content);
		write(".env.production~", content);
		write(".env", "ACCESS_TOKEN=another\n");
		const { status, stdout, calls, upload } = await deploy([], {
			ACCESS_TOKEN: "local-development-token",
			CLOUDFLARE_ENV: "staging",
		});
		expect(status).toBe(0);
		// Of other files, which Wrangler would otherwise read, none is left to choose.
		const file = ".env.production";
		expect(calls.map(({ command, args }) => [command, ...args].join(" "))).toEqual([
			"npm run check",
			"npm test",
			`wrangler deploy --config=wrangler.deploy.toml --env= --secrets-file=${file} --env-file=${file}`,
		]);
		expect(upload?.secrets).toMatchObject({ file, content });
		expect(upload?.env).not.toHaveProperty("ACCESS_TOKEN");
		expect(upload?.env).toMatchObject({ WRANGLER_SEND_METRICS: "false" });
		expect(stdout).toMatch(/^Checks and tests come first, for about a minute/);
		expect(stdout).toMatch(
			/Live: plant-store, version v1, at https:\/\/plants\.example\.com\.\nTo go back, .*\n$/,
		);
	});
	it("for staging from a file of its own, as an environment of its own", async () => {
		write(".env.production", `ACCESS_TOKEN=${strong}\n`);
		write(".env.staging", `ACCESS_TOKEN=${ofLength(40)}\n`);
		const { status, stdout, upload } = await deploy(["--env", "staging"]);
		expect(status).toBe(0);
		expect(upload?.args).toContain("--env=staging");
		expect(upload?.secrets).toMatchObject({ content: `ACCESS_TOKEN=${ofLength(40)}\n` });
		expect(stdout).toContain("Live: plant-store-staging, version v1");
	});
});

describe("with a token that may go live", () => {
	beforeEach(() => write(".env.production", `ACCESS_TOKEN=${strong}\n`));
	it("gives credentials to the upload alone, and not to checks and tests", async () => {
		const credentials = { CLOUDFLARE_API_TOKEN: "api", CLOUDFLARE_ACCOUNT_ID: "account" };
		const { calls } = await deploy([], { ...credentials, ACCESS_TOKEN: "x" });
		const [check, test, upload] = calls;
		for (const name of [...Object.keys(credentials), "ACCESS_TOKEN"]) {
			expect(check?.env).not.toHaveProperty(name);
			expect(test?.env).not.toHaveProperty(name);
		}
		expect(upload?.env).toMatchObject(credentials);
	});
	it("works without another environment in wrangler.toml", async () => {
		write("wrangler.toml", toml.slice(0, toml.indexOf("[env.staging]")));
		expect((await deploy()).status).toBe(0);
	});
	it("keeps what a person writes into wrangler.toml meanwhile, and uploads with it; what Wrangler writes is gone", async () => {
		for (const name of ["npm-edits", "wrangler-edits", "wrangler-writes-back"]) write(name, "");
		const { status, upload } = await deploy();
		expect(status).toBe(0);
		expect(upload?.config).toBe(`${toml}# an edit\n# an edit\n`);
		expect(readFileSync(join(folder, "wrangler.toml"), "utf8")).toBe(
			`${toml}${"# an edit\n".repeat(3)}`,
		);
		expect(existsSync(join(folder, "wrangler.deploy.toml"))).toBe(false);
	});
	it("uploads nothing when the token has changed meanwhile", async () => {
		write("npm-edits-token", "");
		const { status, stderr, upload } = await deploy();
		expect({ status, upload }).toEqual({ status: 1, upload: undefined });
		expect(stderr).toMatch(/^Not deployed: .*\.env\.production/);
	});
	it("uploads nothing when a check or a test fails, and says so", async () => {
		write("npm-fails", "");
		const { status, stderr, upload } = await deploy();
		expect({ status, upload }).toEqual({ status: 1, upload: undefined });
		expect(stderr).toBe("Not deployed: npm run check failed.\nNothing has changed online.\n");
	});
	it.each(["wrangler-fails", "wrangler-is-killed"])(
		"does not say that nothing has changed when %s, but how to look",
		async (name) => {
			write(name, "");
			const { status, stdout, stderr } = await deploy();
			expect(status).toBe(1);
			expect(stdout).not.toContain("Live");
			expect(stderr).toContain("the new version may be live");
			expect(stderr).toContain("npx wrangler deployments list\n");
			expect(stderr).not.toContain("Not deployed");
		},
	);
	it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
		"ends with Wrangler at %s, says the same, and leaves nothing behind",
		async (signal) => {
			write("wrangler-waits", "");
			const before = files();
			const { status, stderr } = await deploy([], {}, async (child) => {
				while (!readFileSync(join(folder, "record"), "utf8").includes('"wrangler"')) {
					await new Promise((resolve) => setTimeout(resolve, 50));
				}
				child.kill(signal);
			});
			expect(status).toBe(1);
			expect(stderr).toContain("npx wrangler deployments list");
			expect(files()).toEqual(before);
			expect(readdirSync(join(folder, "dist"))).toEqual([]);
		},
	);
	it("uploads nothing in a dry run", async () => {
		const { status, stdout, upload } = await deploy(["--dry-run"]);
		expect(status).toBe(0);
		expect(upload?.args.at(-1)).toBe("--dry-run");
		expect(stdout).toMatch(/Dry run: nothing has changed\.\n$/);
	});
});
