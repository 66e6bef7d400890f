// `npm run export`: a file with all of KV, which Wrangler can restore, or no file if anything fails.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, it } from "vitest";
import { type Fault, type FaultAt, startApi } from "../support/cloudflare-api.ts";

const cleanups: (() => void)[] = [];
afterAll(() => {
	for (const cleanUp of cleanups) cleanUp();
});

/** A folder with the wrangler.toml of this project, and with yesterday's plants.json. */
function place() {
	const folder = fs.mkdtempSync(join(tmpdir(), "plant-store-export-"));
	cleanups.push(() => fs.rmSync(folder, { recursive: true, force: true }));
	// Without the account that an operator may have added.
	const config = fs.readFileSync("wrangler.toml", "utf8").replace(/^account_id.*$/m, "");
	fs.writeFileSync(join(folder, "wrangler.toml"), config);
	const file = join(folder, "plants.json");
	fs.writeFileSync(file, "yesterday's");
	const EXPORT = `node ${join(process.cwd(), "operate/export.ts")}`;
	const children: ChildProcess[] = [];
	async function run(command: string, more = {}) {
		const env = { ...process.env, EXPORT, INIT_CWD: folder, ...more };
		const child = spawn("sh", ["-c", `exec ${command}`], { cwd: folder, env });
		children.push(child);
		const output = Promise.all([text(child.stdout), text(child.stderr)]);
		const [status] = await once(child, "close");
		const [stdout, stderr] = await output;
		return { status, stdout, stderr };
	}
	const read = () => fs.readFileSync(file, "utf8");
	const files = () => fs.readdirSync(folder).filter((name) => !/wrangler/.test(name));
	/** Whether yesterday's file is the only one, and unchanged. */
	const isAsBefore = () => read() === "yesterday's" && `${files()}` === "plants.json";
	return { folder, file, children, run, read, isAsBefore };
}

/** A place, and a stand-in for the API with this many plants. */
async function deployed(plants: number, fault: FaultAt = () => undefined) {
	const api = await startApi(fault);
	cleanups.push(api.close);
	for (let id = 1; id <= plants; id++) api.values.set(`${id}`, `{"id":${id},"name":"Plant ${id}"}`);
	const here = place();
	// A stand-in for Wrangler, which takes seconds, in the tests that do not need it.
	const answers = `case $1 in auth) echo '{"token":"bearer-token"}';; *) echo '[{"id":"kv-of-first"}]'; esac`;
	fs.writeFileSync(join(here.folder, "wrangler"), `#!/bin/sh\n${answers}\n`, { mode: 0o755 });
	const env = { CLOUDFLARE_API_BASE_URL: api.url, NO_PROXY: "127.0.0.1" };
	const PATH = `${here.folder}:${process.env["PATH"]}`;
	const exported = (command = "$EXPORT plants.json plant-store") =>
		here.run(command, { ...env, CLOUDFLARE_ACCOUNT_ID: "first", PATH });
	/** The file that an export of all plants writes. */
	const all = () => {
		const entries = [...api.values].sort(([a], [b]) => (a < b ? -1 : 1));
		const lines = entries.map(([key, value]) => JSON.stringify({ key, value }));
		return `[\n${lines.join(",\n")}\n]\n`;
	};
	return { ...here, api, env, exported, all };
}

// Some waits are real, so these tests run concurrently, those with the longest waits first.
describe.concurrent("a deployed KV", () => {
	const page = { success: true, result: [{ name: "1" }] };
	const again = { ...page, result_info: { cursor: "0" } };
	const ok = (answer: object) => () => ({ status: 200, body: JSON.stringify(answer) });
	type Case = [problem: string, call: string, fault: () => Fault, reason: RegExp];
	const passing: Case[] = [
		["cuts a connection", "get", () => "cut before", /other side closed|ECONNRESET/],
		["cuts an answer", "get", () => "cut in the middle", /can't be read/],
		["leaves keys out", "get", ok({ success: true, result: { values: {} } }), /can't be read/],
		["gives no cursor", "keys", ok(page), /can't be read/],
		["fails with 200", "keys", ok({ ...again, success: false }), /can't be read/],
		["answers with HTML", "get", () => ({ status: 502, body: "<html>" }), /502 Bad Gateway/],
	];
	it.for<Case>([
		...passing,
		["refuses", "get", () => ({ status: 403 }), /403 a fault.*Workers KV Storage, Read/],
		["knows no Worker", "settings", () => ({ status: 404 }), /no Worker plant-store .* first/],
		["repeats a page", "keys", ok(again), /repeats a page/],
	])("is not exported when the API always %s", async ([, on, fault, reason], { expect }) => {
		const here = await deployed(150, (call) => (call === on ? fault() : undefined));
		const { status, stdout, stderr } = await here.exported();
		expect([status, stdout, here.isAsBefore()]).toEqual([1, "", true]);
		expect(stderr).toMatch(reason);
		expect(stderr).toMatch(
			/^Not exported: .*\nNo file was written\. An earlier file is unchanged\.\n$/,
		);
		expect(stderr).not.toContain("bearer-token");
	});

	it.for<Case>([
		...passing,
		["finds the values too large", "get", () => ({ status: 413 }), /./],
		["takes no more calls", "get", () => ({ status: 429 }), /./],
	])("is exported although the API once %s", async ([, on, fault], { expect }) => {
		const here = await deployed(150, (call, times) =>
			call === on && !times ? fault() : undefined,
		);
		expect(await here.exported()).toMatchObject({ status: 0, stderr: "" });
		expect(here.read()).toBe(here.all());
	});

	it("is exported twice at once, in KV's order, over pages of any size", async ({ expect }) => {
		const here = await deployed(2500);
		here.api.pages = [700, 0, 1000];
		const kv = "the KV of the Worker plant-store in the account first";
		const stdout = `Exported 2500 plants from ${kv} to ${here.file}\n`;
		const exported = { status: 0, stdout, stderr: "" };
		expect(await Promise.all([here.exported(), here.exported()])).toEqual([exported, exported]);
		expect(here.read()).toBe(here.all());
		expect(fs.statSync(here.file).mode & 0o777).toBe(0o600);
	});

	it("is exported with other values, without deleted keys", async ({ expect }) => {
		const here = await deployed(2, (call) => void (call === "get" && here.api.values.delete("2")));
		const others = { ["__proto__"]: "x", "300": '{"id":301,"name":"secret"}', "500": '{"id":500}' };
		for (const [key, value] of Object.entries(others)) here.api.values.set(key, value);
		const { status, stdout, stderr } = await here.exported();
		expect([status, here.read()]).toEqual([0, here.all()]);
		expect(stdout).toContain("Exported 1 plant from");
		expect(stderr).toMatch(/deleted: 1\n.* not plants: 3, .* "300", "500", "__proto__"\n$/);
	});

	const times = ["100000", "Fri, 31 Dec 9999 23:59:59 GMT"];
	it.for(times)("with Retry-After: %s is waited for until SIGINT", async (until, { expect }) => {
		const here = await deployed(1, () => ({ status: 429, headers: { "Retry-After": until } }));
		const exported = here.exported();
		const [child] = here.children;
		child?.stderr?.once("data", () => child.kill("SIGINT"));
		const { status, stderr } = await exported;
		expect([status, here.isAsBefore()]).toEqual([130, true]);
		expect(stderr).toMatch(/^Waiting 300 s: .*429.*\nNot exported: interrupted\.\n/);
	});

	it.for([["SIGTERM", 143] as const, ["SIGHUP", 129] as const])(
		"leaves no unfinished file after %s",
		async ([signal, code], { expect }) => {
			const here = await deployed(150, () => void here.children[0]?.kill(signal));
			const { status } = await here.exported();
			expect([status, here.isAsBefore()]).toEqual([code, true]);
		},
	);

	it.for([
		["a folder", "$EXPORT . plant-store", "is not a file"],
		["a device", "$EXPORT /dev/null plant-store", "is not a file"],
		["no folder", "$EXPORT no/plants.json plant-store", "ENOENT"],
		// As little as a shell can allow: 512 bytes, or 1,024.
		["a full disk", "sh -c 'ulimit -f 1; $EXPORT plants.json plant-store'", "EFBIG"],
	])("is not exported to %s", async ([, command, reason], { expect }) => {
		const here = await deployed(5000);
		const { status, stderr } = await here.exported(command);
		expect([status, here.isAsBefore()]).toEqual([1, true]);
		expect(stderr).toContain(reason);
	});

	it("is exported to the target of a link", async ({ expect }) => {
		const here = await deployed(1);
		const target = join(here.folder, "target.json");
		fs.renameSync(here.file, target);
		fs.symlinkSync("target.json", here.file);
		expect(await here.exported()).toMatchObject({ status: 0 });
		expect(fs.readFileSync(target, "utf8")).toBe(here.all());
	});

	it("comes from Wrangler's account, with Wrangler's token", async ({ expect }) => {
		const here = await deployed(1);
		const variables = "CLOUDFLARE_ACCOUNT_ID=second\nCLOUDFLARE_API_TOKEN=other-token\n";
		fs.writeFileSync(join(here.folder, ".env"), variables);
		const { status, stdout } = await here.run("$EXPORT plants.json plant-store", here.env);
		expect(status).toBe(0);
		expect(stdout).toContain("in the account second");
		expect(here.read()).toContain("second");
	});

	it("is not exported with a token that can't be sent, and the token is not printed", async ({
		expect,
	}) => {
		const here = await deployed(1);
		const env = { ...here.env, CLOUDFLARE_API_TOKEN: "secret\nsecrét" };
		const { status, stderr } = await here.run("$EXPORT plants.json plant-store", env);
		expect([status, here.isAsBefore()]).toEqual([1, true]);
		expect(stderr).toMatch(/^Not exported: Wrangler's API token (?!.*secr)/s);
	});
});

const wrong = ["", "--remote", "plants.json --remote", "plants.json ''", "plants.json a b"];
it.concurrent.for(wrong)("the command line %j is refused", async (words, { expect }) => {
	const here = place();
	const { status, stderr } = await here.run(`$EXPORT ${words}`);
	expect([status, here.isAsBefore()]).toEqual([2, true]);
	expect(stderr).toContain("npm run export -- FILE [WORKER]");
});
