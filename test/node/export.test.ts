// `npm run export`: a new file with a whole namespace, which Wrangler restores, or no file at all.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import type { ServerResponse } from "node:http";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, describe, it } from "vitest";
import { type Fault, NAMESPACE, startApi } from "../support/cloudflare-api.ts";

const { scripts } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const EXPORT = scripts.export.replace("scripts/", join(process.cwd(), "scripts/"));
const old = { "old.json": "the only good copy" };
const cleanups: (() => void)[] = [];
afterAll(() => cleanups.forEach((cleanUp) => cleanUp()));

/** A project from which an operator exports this many plants, to a folder with an older backup. */
async function start(plants: number, fault: Fault = () => {}) {
	const api = await startApi(fault);
	for (let id = 1; id <= plants; id++) api.values.set(`${id}`, `{"id":${id},"name":"Plant 🌵"}`);
	const project = fs.mkdtempSync(join(tmpdir(), "plant-store-export-"));
	cleanups.push(api.close);
	const folder = join(project, "exports");
	fs.mkdirSync(folder);
	fs.writeFileSync(join(folder, "old.json"), old["old.json"]);
	const account = "CLOUDFLARE_ACCOUNT_ID=account\nCLOUDFLARE_API_TOKEN=bearer-token\n";
	const variables = `${account}CLOUDFLARE_API_BASE_URL=${api.url}\n`;
	fs.writeFileSync(join(project, ".env"), variables);
	function run(words = `new.json ${NAMESPACE}`, more = {}) {
		const env = { ...process.env, INIT_CWD: folder, NO_PROXY: "127.0.0.1", ...more };
		const child = spawn("sh", ["-c", `${EXPORT} ${words}`], { cwd: project, env });
		cleanups.push(() => child.kill("SIGKILL"));
		const output = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
		const ended = output.then(([stdout, stderr, [status]]) => ({ status, stdout, stderr }));
		return { child, ended };
	}
	const read = (name: string) => fs.readFileSync(join(folder, name), "utf8");
	const files = () => Object.fromEntries(fs.readdirSync(folder).map((name) => [name, read(name)]));
	return { api, folder, run, files };
}

const answer = (json: object) => (response: ServerResponse) => response.end(JSON.stringify(json));
const on = (name: string, fault: (response: ServerResponse) => unknown): Fault => {
	return (response, call) => (call === name ? fault(response) : undefined);
};
const drop: Fault = (response) => response.destroy();
const cut: Fault = (response) => response.write("{", () => response.destroy());
const html: Fault = (response) => response.writeHead(502).end("<html>");
const wait = (seconds: string) => (response: ServerResponse) =>
	response.writeHead(429, { "Retry-After": seconds }).end();

describe.concurrent("npm run export", () => {
	it("writes everything in KV's order, from pages and answers of any size", async ({ expect }) => {
		const { api, folder, run } = await start(2500);
		api.pages.push(0, 700, 0, 0, 1000);
		api.values.set("__proto__", "not a plant").set("2", null);
		const file = join(folder, "of/today.json");
		const stdout = `Exported 2500 keys (1 deleted meanwhile) to ${file}\n`;
		const { ended } = run(`of/today.json ${NAMESPACE}`);
		expect(await ended).toEqual({ status: 0, stdout, stderr: "" });
		const entries = [...api.values].sort(([one], [other]) => (one < other ? -1 : 1));
		const left = entries.filter(([, value]) => value !== null);
		const lines = left.map(([key, value]) => JSON.stringify({ key, value }));
		expect(fs.readFileSync(file, "utf8")).toBe(`[\n${lines.join(",\n")}\n]\n`);
		expect(fs.statSync(file).mode & 0o777).toBe(0o600);
	});

	it("writes a file that Wrangler restores", async ({ expect }) => {
		const { api, folder, run } = await start(0);
		const plant = String.raw`{"id":9007199254740993,"name":"🌵 \ud83c \n\"\\","tag":""}`;
		api.values.set("9007199254740993", plant);
		await run().ended;
		const to = ["--binding=PLANTS", "--local", `--persist-to=${folder}`];
		await promisify(execFile)("wrangler", ["kv", "bulk", "put", join(folder, "new.json"), ...to]);
		const get = ["kv", "key", "get", "9007199254740993", ...to];
		expect(await promisify(execFile)("wrangler", get)).toMatchObject({ stdout: plant });
	});

	it("goes on after failures", async ({ expect }) => {
		const faults: Fault[] = [() => {}, drop, cut, html, wait("1")];
		const { folder, run } = await start(1, (response, call, earlierCalls) =>
			faults[earlierCalls]?.(response, call, earlierCalls),
		);
		const stdout = `Exported 1 key to ${join(folder, "new.json")}\n`;
		expect(await run().ended).toMatchObject({ status: 0, stdout });
	});

	it("goes through HTTP_PROXY", async ({ expect }) => {
		const { api, run } = await start(1);
		const proxy = { HTTP_PROXY: api.url, CLOUDFLARE_API_BASE_URL: "http://api.example" };
		expect(await run(undefined, proxy).ended).toMatchObject({ status: 0 });
	});

	const page = { success: true, result: [{ name: "1" }], result_info: { cursor: "0" } };
	const valued = (values: object) => on("get", answer({ success: true, result: { values } }));
	const nobody = { CLOUDFLARE_API_BASE_URL: "http://localhost:2" };
	type Case = { fault?: Fault; words?: string; variables?: object };
	it.for<[problem: string, reason: RegExp, more: Case]>([
		["nobody listens", /ECONNREFUSED/, { variables: nobody }],
		["the API answers 502", /502: Bad Gateway/, { fault: html }],
		["the API cuts every answer", /terminated/, { fault: cut }],
		["the answer is HTML", /cannot be read/, { fault: (response) => response.end("<html>") }],
		["no success", /cannot be read/, { fault: on("keys", answer({ ...page, success: false })) }],
		["a value is missing", /key "1"/, { fault: valued({}) }],
		["a value is a number", /key "1"/, { fault: valued({ 1: 5 }) }],
		["a page for ever", /repeats a page/, { fault: on("keys", answer(page)) }],
		["every key was deleted", /is empty/, { fault: valued({ 1: null }) }],
		["no id", /FILE NAMESPACE_ID/, { words: "new.json" }],
		["two names", /FILE NAMESPACE_ID/, { words: `new .json ${NAMESPACE}` }],
		["a name for an id", /is not a namespace's id/, { words: "new.json PLANTS" }],
		["a wrong id", /404: none. Check/, { words: `new.json ${"c".repeat(32)}` }],
		["the file exists", /old.json exists/, { words: `old.json ${NAMESPACE}` }],
		["no account", /Set CLOUDFLARE_ACCOUNT_ID/, { variables: { CLOUDFLARE_ACCOUNT_ID: "" } }],
		["no token", /is missing/, { variables: { CLOUDFLARE_API_TOKEN: "" } }],
		["a wrong token", /403: .* Read/, { variables: { CLOUDFLARE_API_TOKEN: "secret" } }],
		["a banner and a token", /malformed/, { variables: { CLOUDFLARE_API_TOKEN: "⛅️\nsecret" } }],
		["a long name", /name too long/, { words: `${"n".repeat(300)} ${NAMESPACE}` }],
	])("changes no file: %s", async ([, reason, more], { expect }) => {
		const { run, files } = await start(1, more.fault);
		const { status, stdout, stderr } = await run(more.words, more.variables).ended;
		expect(status).toBeGreaterThan(0);
		expect([stdout, files()]).toEqual(["", old]);
		expect(stderr).toMatch(/^Not exported: .*\n$/);
		expect(stderr).toMatch(reason);
		expect(stderr).not.toContain("secret");
	});

	it("does not replace a file that comes into being meanwhile", async ({ expect }) => {
		const { folder, run, files } = await start(1, () => fs.writeFileSync(file, "another"));
		const file = join(folder, "new.json");
		const { status, stderr } = await run().ended;
		expect([status, files()]).toEqual([1, { ...old, "new.json": "another" }]);
		expect(stderr).toContain("new.json exists");
	});

	it.for(["SIGHUP", "SIGINT", "SIGTERM"] as const)("waits until %s", async (signal, { expect }) => {
		const { run, files } = await start(1, wait("100000"));
		const { child, ended } = run();
		const [said] = await once(child.stderr, "data");
		expect(`${said}`).toContain("Retry-After: 100000");
		expect(Object.keys(files())).toHaveLength(2);
		child.kill(signal);
		const { status } = await ended;
		expect([status, files()]).toEqual([128 + constants.signals[signal], old]);
	});
});
