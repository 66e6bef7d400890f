// `npm run export`: all of KV in a file that Wrangler restores, or no file, whatever fails on the way.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, describe, it } from "vitest";
import { getPlatformProxy } from "wrangler";
import { startDev } from "../../harness/dev.ts";
import { type Fault, startApi } from "../support/cloudflare-api.ts";

const over: (() => void)[] = [];
afterAll(() => {
	for (const end of over) end();
});

/** A folder with the wrangler.toml of this project, and with yesterday's plants.json. */
function place() {
	const folder = fs.mkdtempSync(join(tmpdir(), "plant-store-export-"));
	over.push(() => fs.rmSync(folder, { recursive: true, force: true }));
	fs.copyFileSync("wrangler.toml", join(folder, "wrangler.toml"));
	const file = join(folder, "plants.json");
	fs.writeFileSync(file, "yesterday's");
	const EXPORT = `node ${join(process.cwd(), "operate/export.ts")}`;
	/** Runs a command there. `during` gets the process. */
	async function run(command: string, more = {}, during?: (child: ChildProcess) => void) {
		const env = { ...process.env, EXPORT, INIT_CWD: folder, ...more };
		const child = spawn("sh", ["-c", command], { cwd: folder, env });
		during?.(child);
		const output = Promise.all([text(child.stdout), text(child.stderr)]);
		const [status] = await once(child, "close");
		const [stdout, stderr] = await output;
		return { status, stdout, stderr };
	}
	const read = () => fs.readFileSync(file, "utf8");
	/** Whether yesterday's file is all that is there. */
	const isAsBefore = () =>
		read() === "yesterday's" &&
		fs
			.readdirSync(folder)
			.every((name) => /^(plants\.json|wrangler(\.toml)?|\.wrangler)$/.test(name));
	return { folder, file, run, read, isAsBefore };
}

/** A place, and a stand-in of the API with so many plants. */
async function deployed(
	plants: number,
	fault?: (call: string, times: number) => Fault | undefined,
) {
	const api = await startApi();
	over.push(api.close);
	for (let id = 1; id <= plants; id++) api.values.set(`${id}`, `{"id":${id},"name":"Plant ${id}"}`);
	if (fault) api.fault = fault;
	const here = place();
	// For the tests in which Wrangler need not run: it takes seconds.
	const answers = `case $1 in auth) echo '{"token":"bearer-token"}';; *) echo '[{"id":"kv-of-first"}]'; esac`;
	fs.writeFileSync(join(here.folder, "wrangler"), `#!/bin/sh\n${answers}\n`, { mode: 0o755 });
	const env = { CLOUDFLARE_API_BASE_URL: api.url, NO_PROXY: "127.0.0.1" };
	const known = {
		...env,
		CLOUDFLARE_ACCOUNT_ID: "first",
		PATH: `${here.folder}:${process.env["PATH"]}`,
	};
	return {
		...here,
		api,
		env,
		exported: (
			during?: (child: ChildProcess) => void,
			command = "exec $EXPORT plants.json plant-store",
		) => here.run(command, known, during),
		/** What an export of all of it has. */
		all: () => {
			const entries = [...api.values].sort(([a], [b]) => (a < b ? -1 : 1));
			return `[\n${entries.map(([key, value]) => JSON.stringify({ key, value })).join(",\n")}\n]\n`;
		},
	};
}

// Some waits are real, and so all of these run side by side.
describe.concurrent("the KV of npm run dev", () => {
	it("is, when Wrangler has restored it elsewhere, as the service had stored it", async ({
		expect,
	}) => {
		const [from, to] = [place(), place()];
		const dev = await startDev(join(from.folder, ".wrangler/state"), "dev-token");
		const plants = [
			String.raw`{"id":-5,"name":"🌵 \ud83c","tag":""}`,
			String.raw`{"id":100,"name":"a\nb\"\\"}`,
			'{"id":9007199254740993,"name":"Monstera","tag":"tropical"}',
		];
		const headers = { Authorization: "Bearer dev-token", "Content-Type": "application/json" };
		for (const body of plants) {
			const { status } = await fetch(`${dev.url}/plants`, { method: "POST", headers, body });
			expect(status).toBe(200);
		}
		await dev.stop();
		const stdout = `Exported 3 plants from the KV of npm run dev to ${from.file}\n`;
		expect(await from.run("$EXPORT plants.json")).toEqual({ status: 0, stdout, stderr: "" });
		const put = `wrangler kv bulk put ${from.file} --binding PLANTS --local`;
		expect(await to.run(put)).toMatchObject({ status: 0 });
		const persist = { path: join(to.folder, ".wrangler/state/v3") };
		const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>({ persist });
		const { keys } = await env.PLANTS.list();
		const values = await Promise.all(keys.map(({ name }) => env.PLANTS.get(name)));
		await dispose();
		expect(keys.map(({ name }) => name)).toEqual(["-5", "100", "9007199254740993"]);
		expect(values).toEqual(plants);
	});

	it("is not exported while there is nothing in it", async ({ expect }) => {
		const here = place();
		const { status, stderr } = await here.run("$EXPORT plants.json");
		expect([status, here.isAsBefore()]).toEqual([1, true]);
		expect(stderr).toContain("Not exported: there is nothing in the KV of npm run dev.\n");
	});
});

describe.concurrent("a deployed KV", () => {
	it("is exported twice at once, in the order of its keys, over pages of any size", async ({
		expect,
	}) => {
		const here = await deployed(2500);
		here.api.pages = [700, 0, 1000];
		const kv = "the KV of the Worker plant-store in the account first";
		const stdout = `Exported 2500 plants from ${kv} to ${here.file}\n`;
		const both = await Promise.all([here.exported(), here.exported()]);
		expect(both).toEqual([
			{ status: 0, stdout, stderr: "" },
			{ status: 0, stdout, stderr: "" },
		]);
		expect(here.read()).toBe(here.all());
		expect(fs.statSync(here.file).mode & 0o777).toBe(0o600);
	});

	it("is exported with what is no plant, and without what is deleted meanwhile", async ({
		expect,
	}) => {
		const here = await deployed(2, (call) => {
			if (call === "get") here.api.values.delete("2");
			return undefined;
		});
		const others = { ["__proto__"]: "x", "300": '{"id":301,"name":"secret"}', "500": '{"id":500}' };
		for (const [key, value] of Object.entries(others)) here.api.values.set(key, value);
		const { status, stdout, stderr } = await here.exported();
		expect([status, here.read()]).toEqual([0, here.all()]);
		expect(stdout).toContain("Exported 1 plant from");
		expect(stderr).toBe(
			'Left out, since they were deleted meanwhile: 1\nIn the file, but not plants: 3, under the keys "300", "500", "__proto__"\n',
		);
	});

	it("is exported in smaller parts where its values are too large for a call", async ({
		expect,
	}) => {
		const here = await deployed(500, (call, times) =>
			call === "get" && times < 7 ? { status: 413 } : undefined,
		);
		expect(await here.exported()).toMatchObject({ status: 0 });
		expect(here.read()).toBe(here.all());
	});

	const limit = (until: string) => ({ status: 429, headers: { "Retry-After": until } });
	const date = () => new Date(Date.now() + 2000).toUTCString();
	const page = { success: true, result: [{ name: "1" }] };
	type Case = [problem: string, call: string, fault: () => Fault, reason: RegExp];
	const once_: Case[] = [
		["cuts a connection", "get", () => "cut before", /other side closed|ECONNRESET/],
		["cuts an answer", "get", () => "cut in the middle", /can't be read/],
		["leaves keys out", "get", () => ({ answer: { result: { values: {} } } }), /can't be read/],
		["gives no cursor", "keys", () => ({ answer: page }), /can't be read/],
		["answers with HTML", "get", () => ({ status: 502, body: "<html>" }), /502 Bad Gateway/],
	];
	it.for<Case>([
		...once_,
		["sets a limit in seconds", "get", () => limit("1"), /./],
		["sets a limit with a date", "get", () => limit(date()), /./],
	])("is exported although the API once %s", async ([, on, fault], { expect }) => {
		const here = await deployed(150, (call, times) =>
			call === on && !times ? fault() : undefined,
		);
		expect(await here.exported()).toMatchObject({ status: 0, stderr: "" });
		expect(here.read()).toBe(here.all());
	});

	const again = { ...page, result_info: { cursor: "0" } };
	it.for<Case>([
		...once_,
		["refuses", "get", () => ({ status: 403 }), /403 a fault.*Workers KV Storage, Read/],
		[
			"does not know the Worker",
			"settings",
			() => ({ status: 404 }),
			/no Worker plant-store .* first/,
		],
		["repeats a page", "keys", () => ({ answer: again }), /repeats a page/],
	])("is not exported when the API always %s", async ([, on, fault, reason], { expect }) => {
		const here = await deployed(150, (call) => (call === on ? fault() : undefined));
		const { status, stdout, stderr } = await here.exported();
		expect([status, stdout, here.isAsBefore()]).toEqual([1, "", true]);
		expect(stderr).toMatch(reason);
		expect(stderr).toMatch(
			/^Not exported: .*\nNo file was written\. An earlier one stays as it was\.\n$/,
		);
		expect(stderr).not.toContain("bearer-token");
	});

	it("that is blocked is waited for, five minutes at a time, which is said", async ({ expect }) => {
		const here = await deployed(1, () => limit("100000"));
		const { stderr } = await here.exported((child) => {
			child.stderr?.once("data", () => child.kill("SIGINT"));
		});
		expect(stderr).toMatch(/^Waiting 300 s: .*429/);
	});

	it.for<[NodeJS.Signals, string, number]>([
		["SIGINT", "settings", 130],
		["SIGTERM", "get", 143],
		["SIGHUP", "keys", 129],
	])(
		"leaves nothing behind when %s comes during %s",
		async ([signal, on, expected], { expect }) => {
			const here = await deployed(150);
			const { status, stderr } = await here.exported((child) => {
				here.api.fault = async (call) => {
					if (call !== on) return undefined;
					child.kill(signal);
					await once(child, "close");
					return "cut before";
				};
			});
			expect([status, here.isAsBefore()]).toEqual([expected, true]);
			expect(stderr).toContain("Not exported: interrupted.");
		},
	);

	it("is not exported to a disk that takes no more", async ({ expect }) => {
		const here = await deployed(5000);
		// As little as a shell can allow: 512 bytes, or 1,024.
		const { status, stderr } = await here.exported(
			undefined,
			"ulimit -f 1; $EXPORT plants.json plant-store",
		);
		expect([status, here.isAsBefore()]).toEqual([1, true]);
		expect(stderr).toContain("Not exported: EFBIG");
	});

	it("is that of the account that Wrangler uses, with its token", async ({ expect }) => {
		const here = await deployed(1);
		const variables = "CLOUDFLARE_ACCOUNT_ID=second\nCLOUDFLARE_API_TOKEN=other-token\n";
		fs.writeFileSync(join(here.folder, ".env"), variables);
		const { status, stdout } = await here.run("$EXPORT plants.json plant-store", here.env);
		expect(status).toBe(0);
		expect(stdout).toContain("in the account second");
		expect(here.read()).toContain("second");
	});

	it("is not exported with a token that no header may have, which is not printed", async ({
		expect,
	}) => {
		const here = await deployed(1);
		const env = {
			...here.env,
			CLOUDFLARE_ACCOUNT_ID: "first",
			CLOUDFLARE_API_TOKEN: "secret\nsecrét",
		};
		const { status, stderr } = await here.run("$EXPORT plants.json plant-store", env);
		expect([status, here.isAsBefore()]).toEqual([1, true]);
		expect(stderr).toMatch(/^Not exported: Wrangler's API token/);
		expect(stderr).not.toMatch(/secr/);
	});

	it("goes where a link leads, but neither into a folder nor a device", async ({ expect }) => {
		const here = await deployed(1);
		const target = join(here.folder, "target.json");
		fs.symlinkSync("/dev/null", join(here.folder, "device"));
		for (const name of [".", "device"]) {
			const { status, stderr } = await here.exported(undefined, `$EXPORT ${name} plant-store`);
			expect([status, stderr]).toEqual([1, expect.stringContaining("is not a file")]);
		}
		fs.renameSync(here.file, target);
		fs.symlinkSync("target.json", here.file);
		expect(await here.exported()).toMatchObject({ status: 0 });
		expect(fs.readFileSync(target, "utf8")).toBe(here.all());
	});
});

it.concurrent.for(["", "--remote", "plants.json --remote", "plants.json ''", "plants.json a b"])(
	"the command line %j does nothing",
	async (words, { expect }) => {
		const here = place();
		const { status, stderr } = await here.run(`$EXPORT ${words}`);
		expect([status, here.isAsBefore()]).toEqual([2, true]);
		expect(stderr).toContain("npm run export -- FILE [WORKER]");
	},
);
