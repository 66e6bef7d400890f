// `npm run export` and `npm run restore`: all plants out, and in again, exact, whatever fails on the way.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { KVNamespace } from "@cloudflare/workers-types";
import fc from "fast-check";
import { afterAll, describe, it } from "vitest";
import { getPlatformProxy } from "wrangler";
import { startDev } from "../../harness/dev.ts";
import { type Api, type Fault, startApi } from "../support/cloudflare-api.ts";

const over: (() => void)[] = [];
afterAll(() => {
	for (const end of over) end();
});

/** A folder with a wrangler.toml, that of this project for its local KV, where the files of a test are. */
function place(config = "wrangler.toml") {
	const folder = mkdtempSync(join(tmpdir(), "plant-store-backup-"));
	over.push(() => rmSync(folder, { recursive: true, force: true }));
	copyFileSync(config, join(folder, "wrangler.toml"));
	const file = join(folder, "plants.jsonl");
	/** Runs a command there, after what a shell is to do first. `during` gets the process. */
	async function run(
		command: "export" | "restore",
		args = ["plants.jsonl"],
		options: {
			env?: Record<string, string>;
			first?: string;
			during?: (child: ChildProcess) => void;
		} = {},
	) {
		const { env = {}, first = ":", during } = options;
		const script = join(process.cwd(), `operate/backup/${command}.ts`);
		const child = spawn("sh", ["-c", `${first}; exec "$@"`, "", "node", script, ...args], {
			cwd: folder,
			env: { ...process.env, ...env },
		});
		during?.(child);
		const output = Promise.all([text(child.stdout), text(child.stderr)]);
		const [status] = await once(child, "close");
		const [stdout, stderr] = await output;
		return { status, stdout, stderr };
	}
	return {
		folder,
		run,
		write: (content: string | Buffer) => writeFileSync(file, content),
		read: () => readFileSync(file, "utf8"),
		/** The files there, without the wrangler.toml and the local KV. */
		files: () => readdirSync(folder).filter((name) => !/^(wrangler\.toml|\.wrangler)$/.test(name)),
		/** All keys and values of the local KV, through Wrangler. */
		async local() {
			const persist = { path: join(folder, ".wrangler/state/v3") };
			const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>({ persist });
			const { keys } = await env.PLANTS.list();
			const values = await Promise.all(
				keys.map(async ({ name }) => [name, await env.PLANTS.get(name)] as const),
			);
			await dispose();
			return new Map(values);
		},
	};
}

/** A folder, and a stand-in of the API whose namespace has so many plants. */
async function deployed(plants: number, fault: Api["fault"] = () => undefined) {
	const api = await startApi();
	over.push(api.close);
	for (let id = 1; id <= plants; id++) api.values.set(`${id}`, `{"id":${id},"name":"Plant ${id}"}`);
	api.fault = fault;
	const here = place("test/support/wrangler.toml");
	const options = { env: api.env };
	return {
		...here,
		api,
		exported: (during?: (child: ChildProcess) => void) =>
			here.run("export", ["plants.jsonl", "--remote"], during ? { ...options, during } : options),
		restored: (during?: (child: ChildProcess) => void) =>
			here.run(
				"restore",
				["plants.jsonl", "--remote", "--into", "plant-store"],
				during ? { ...options, during } : options,
			),
		/** The lines that an export of all of it has. */
		lines: () =>
			[...api.values]
				.sort(([a], [b]) => (a < b ? -1 : 1))
				.map(([, value]) => `${value}\n`)
				.join(""),
	};
}

// Some waits are real, and so all of these run side by side.
describe.concurrent("the KV of npm run dev", () => {
	it("that the service has filled is in a restored one as Wrangler reads it, key by key", async ({
		expect,
	}) => {
		const [from, to] = [place(), place()];
		const dev = await startDev(join(from.folder, ".wrangler/state"), "dev-token");
		const plants = [
			'{"id":9007199254740993,"name":"Monstera","tag":"tropical"}',
			String.raw`{"id":-5,"name":"\ud83c\udf35 \ud83c","tag":""}`,
			'{"id":100,"name":"a\\nb"}',
		];
		for (const body of plants) {
			const answer = await fetch(`${dev.url}/plants`, {
				method: "POST",
				headers: { Authorization: "Bearer dev-token", "Content-Type": "application/json" },
				body,
			});
			expect(answer.status).toBe(200);
		}
		await dev.stop();
		const stored = await from.local();
		expect(stored.size).toBe(plants.length);
		expect(await from.run("export")).toMatchObject({
			status: 0,
			stdout: "Exported 3 plants from the KV of npm run dev to plants.jsonl.\n",
		});
		to.write(from.read());
		expect(await to.run("restore")).toMatchObject({ status: 0 });
		expect(await to.local()).toEqual(stored);
	});

	it("gives any plants back as they were put in, in the order of its keys", async ({ expect }) => {
		const anyText = fc.string({
			unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
		});
		const id = fc.oneof(
			fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
			fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, 100n, 2n ** 53n + 1n),
		);
		const plant = fc.record({ id, name: anyText, tag: anyText }, { requiredKeys: ["id", "name"] });
		const size = { minLength: 1200, maxLength: 1200 };
		const [plants = []] = fc.sample(
			fc.uniqueArray(plant, { selector: (plant) => plant.id, ...size }),
			1,
		);
		const lines = plants
			.sort((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1))
			.map(({ id, ...rest }) => `{"id":${id},${JSON.stringify(rest).slice(1)}\n`);
		const here = place();
		here.write(lines.toReversed().join(""));
		expect(await here.run("restore")).toMatchObject({
			status: 0,
			stdout:
				"Restored 1200 plants into the KV of npm run dev. Plants in KV that are not in the file stay as they are.\n",
		});
		expect(await here.run("export")).toMatchObject({ status: 0 });
		expect(here.read()).toBe(lines.join(""));
		expect(statSync(join(here.folder, "plants.jsonl")).mode & 0o777).toBe(0o600);
	});

	it("takes ids in any notation, replaces plants with the same ids, and keeps the others", async ({
		expect,
	}) => {
		const here = place();
		here.write('{"id":100,"name":"old","tag":"x"}\n{"id":-5,"name":"stays"}\n');
		await here.run("restore");
		here.write('{"tag":"y","more":[1],"name":"new","id":1e2}\r\n{"id":7.0,"name":"no line end"}');
		await here.run("restore");
		await here.run("export");
		expect(here.read()).toBe(
			'{"id":-5,"name":"stays"}\n{"id":100,"name":"new","tag":"y"}\n{"id":7,"name":"no line end"}\n',
		);
	});

	it("without a plant in it is not exported, and an earlier file stays", async ({ expect }) => {
		const here = place();
		here.write("yesterday's");
		const { status, stdout, stderr } = await here.run("export");
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).toContain("there is no plant in the KV of npm run dev");
		expect([here.read(), here.files()]).toEqual(["yesterday's", ["plants.jsonl"]]);
	});

	const wrong = [
		["name: must be given", '{"id":1}'],
		["id: must be given", '{"name":"x"}'],
		["id: must be given", '{"id":1.5,"name":"x"}'],
		["id: must be given", '{"id":9223372036854775808,"name":"x"}'],
		["id: must be given", '{"id":"1","name":"x"}'],
		["tag: must be a string", '{"id":2,"name":"x","tag":null}'],
		["the line: must be a JSON object", "[]"],
		["is not JSON", '{"id":3,"name":"secret'],
		["is not JSON", '{"id":3,"name":"x"}{"id":4,"name":"x"}'],
		["is not JSON", ""],
		["is not UTF-8", '{"id":6,"name":"\xe9"}'],
		["id 5 is in line 1, too", '{"id":5.0,"name":"x"}'],
	];
	it.for<[string, string[][], string[]]>([
		["each is named", wrong, []],
		[
			"the first 20 are named",
			[...wrong, ...Array(13).fill(["is not JSON", "x"])],
			["… and 5 more lines"],
		],
	])("takes nothing while lines are wrong: %s", async ([, rows, end], { expect }) => {
		const here = place();
		const lines = ['{"id":5,"name":"good"}', ...rows.map(([, line]) => line)];
		here.write(Buffer.from(lines.join("\n"), "latin1"));
		const { status, stdout, stderr } = await here.run("restore");
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).not.toContain("secret");
		const named = rows.map(([problem], index) => `Line ${index + 2}: ${problem}`).slice(0, 20);
		expect(stderr.trimEnd().split("\n")).toEqual(
			[...named, ...end, "Nothing was written."].map((text) => expect.stringContaining(text)),
		);
		expect(await here.local()).toEqual(new Map());
	});

	it.for<[string, string | undefined, string]>([
		["an empty file", "", "the file is empty"],
		["none", undefined, "ENOENT"],
	])("takes nothing from %s", async ([, content, problem], { expect }) => {
		const here = place();
		if (content !== undefined) here.write(content);
		expect(await here.run("restore")).toMatchObject({
			status: 1,
			stderr: expect.stringContaining(problem),
		});
	});
});

describe.concurrent("a deployed KV", () => {
	it("is exported in the order of its keys, over pages of any size, and restored whole", async ({
		expect,
	}) => {
		const from = await deployed(2500);
		from.api.pages = [700, 0, 1000];
		expect(await from.exported()).toMatchObject({ status: 0 });
		expect(from.read()).toBe(from.lines());
		const to = await deployed(0);
		to.write(from.read());
		expect(await to.restored()).toMatchObject({ status: 0 });
		expect(to.lines()).toBe(from.lines());
	});

	it("is exported without what is no plant, even under a key like __proto__", async ({
		expect,
	}) => {
		const here = await deployed(250);
		const lines = here.lines();
		const others = {
			["__proto__"]: "x",
			somebody: "else",
			"300": '{"id":301,"name":"a"}',
		};
		const more = { "400": '{"id":400,\n"name":"two lines"}', "500": '{"id":500}' };
		for (const [key, value] of Object.entries({ ...others, ...more }))
			here.api.values.set(key, value);
		const { status, stdout } = await here.exported();
		expect(status).toBe(0);
		expect(here.read()).toBe(lines);
		expect(stdout).toMatch(
			/^Exported 250 plants .*\nLeft out, since they are not plants: 5, under /,
		);
		for (const key of ["__proto__", "somebody", "300", "400", "500"])
			expect(stdout).toContain(`"${key}"`);
		expect(stdout).not.toMatch(/else|two lines/);
	});

	it("with values but no plant is not exported", async ({ expect }) => {
		const here = await deployed(0);
		here.api.values.set("plant:1", '{"id":1,"name":"x"}');
		const { status, stderr } = await here.exported();
		expect([status, here.files()]).toEqual([1, []]);
		expect(stderr).toMatch(
			/there is no plant in the KV of plant-store\.\nLeft out, since they are not plants: 1, under the keys "plant:1"/,
		);
	});

	it("is exported without a plant that is deleted meanwhile, which is said", async ({ expect }) => {
		const here = await deployed(150, (call, times) => {
			if (call === "get" && times === 0) here.api.values.delete("120");
			return undefined;
		});
		const { status, stdout } = await here.exported();
		expect(status).toBe(0);
		expect(stdout).toContain("Exported 149 plants");
		expect(stdout).toContain("Left out, since they were deleted meanwhile: 1");
		expect(here.read()).toBe(here.lines());
	});

	it("is exported with a plant that is there when it is looked for once more, in its place", async ({
		expect,
	}) => {
		const here = await deployed(150, (call, times) => {
			if (call !== "get" || times > 1) return undefined;
			const values = Object.fromEntries([...here.api.values].filter(([key]) => key !== "120"));
			return { status: 200, result: { values } };
		});
		expect(await here.exported()).toMatchObject({
			status: 0,
			stdout: expect.stringContaining("150 plants"),
		});
		expect(here.read()).toBe(here.lines());
	});

	it("is exported in smaller parts where its values are too large for a call", async ({
		expect,
	}) => {
		const here = await deployed(100, (call, times) =>
			call === "get" && times === 0 ? { status: 413 } : undefined,
		);
		expect(await here.exported()).toMatchObject({ status: 0 });
		expect(here.read()).toBe(here.lines());
	});

	const soon = () => new Date(Date.now() + 3000).toUTCString();
	it.for<[string, (times: number) => Fault | undefined]>([
		["a connection is cut before an answer", (times) => (times === 0 ? "cut before" : undefined)],
		[
			"a connection is cut in an answer",
			(times) => (times === 0 ? "cut in the middle" : undefined),
		],
		[
			"there are too many calls, for a second",
			(times) => (times === 0 ? { status: 429, headers: { "Retry-After": "1" } } : undefined),
		],
		[
			"there are too many calls, until a date",
			(times) => (times === 0 ? { status: 429, headers: { "Retry-After": soon() } } : undefined),
		],
		["the API fails for a while", (times) => (times < 3 ? { status: 500 } : undefined)],
		[
			"a page of HTML is in the way, with 200",
			(times) => (times === 0 ? { status: 200, body: "<html>" } : undefined),
		],
		[
			"a page of HTML is in the way, with 502",
			(times) => (times === 0 ? { status: 502, body: "<html>" } : undefined),
		],
	])("is exported and restored whole although %s", async ([, fault], { expect }) => {
		const from = await deployed(250, (call, times) => (call === "get" ? fault(times) : undefined));
		expect(await from.exported()).toMatchObject({ status: 0 });
		expect(from.read()).toBe(from.lines());
		const to = await deployed(0, (call, times) => (call === "put" ? fault(times) : undefined));
		to.write(from.read());
		expect(await to.restored()).toMatchObject({ status: 0 });
		expect(to.lines()).toBe(from.lines());
	});

	it.for<[string, Fault, RegExp]>([
		["is cut off", "cut before", /fetch failed|other side closed/],
		["fails", { status: 500 }, /a fault \(500\)/],
		["refuses the token", { status: 403 }, /a fault \(403\).*Workers KV Storage/],
		["answers with HTML", { status: 403, body: "<html>" }, /Forbidden \(403\)/],
	])(
		"is not exported or restored while the API %s for good, and that is said",
		async ([, fault, reason], { expect }) => {
			const from = await deployed(250, (call, times) =>
				call === "get" && times > 0 ? fault : undefined,
			);
			from.write("yesterday's");
			const to = await deployed(0, (call, times) =>
				call === "put" && times > 0 ? fault : undefined,
			);
			to.write(Array.from({ length: 25_000 }, (_, id) => `{"id":${id},"name":"x"}\n`).join(""));
			const [exported, restored] = await Promise.all([from.exported(), to.restored()]);
			expect(exported).toMatchObject({
				status: 1,
				stdout: "",
				stderr: expect.stringMatching(reason),
			});
			expect(exported.stderr).toMatch(
				/No file was written, and an earlier one stays as it was\.\n$/,
			);
			expect([from.read(), from.files()]).toEqual(["yesterday's", ["plants.jsonl"]]);
			expect(restored).toMatchObject({
				status: 1,
				stdout: "",
				stderr: expect.stringMatching(reason),
			});
			expect(restored.stderr).toMatch(
				/Not fully restored: .*\n10000 of 25000 plants are known to be written\. Run it again/,
			);
			expect(to.api.values.size).toBe(10_000);
		},
	);

	it("that can't be reached is not exported", async ({ expect }) => {
		const here = await deployed(1);
		// A port that IANA has assigned to nothing, and that no system gives out by itself.
		here.api.env["CLOUDFLARE_API_BASE_URL"] = "http://127.0.0.1:4";
		const { status, stderr } = await here.exported();
		expect([status, here.files()]).toEqual([1, []]);
		expect(stderr).toMatch(/ECONNREFUSED/);
	});

	it("of a Worker that is not deployed: that is said", async ({ expect }) => {
		const here = await deployed(1);
		const args = ["plants.jsonl", "--remote", "--env", "staging"];
		const { status, stderr } = await here.run("export", args, { env: here.api.env });
		expect([status, here.files()]).toEqual([1, []]);
		expect(stderr).toContain(
			"There is no Worker plant-store-staging in this account. Deploy first",
		);
	});

	it("that does not take some plants: their number is said", async ({ expect }) => {
		const here = await deployed(0, (call) =>
			call === "put" ? { status: 200, result: { unsuccessful_keys: ["2", "3"] } } : undefined,
		);
		here.write([1, 2, 3].map((id) => `{"id":${id},"name":"x"}\n`).join(""));
		const { status, stderr } = await here.restored();
		expect(status).toBe(1);
		expect(stderr).toContain("KV did not take 2 of 3 plants, such as 2.");
	});

	it("that takes no call for five minutes: the wait is announced, and can be interrupted", async ({
		expect,
	}) => {
		const here = await deployed(1, () => ({ status: 429 }));
		here.write("yesterday's");
		const { status, stderr } = await here.exported((child) => {
			child.stderr?.on("data", (data) => {
				if (`${data}`.includes("Waiting")) child.kill("SIGINT");
			});
		});
		expect(status).toBe(130);
		expect(stderr).toMatch(/Waiting 300 s: .*429.*\nNot exported: interrupted/s);
		expect([here.read(), here.files()]).toEqual(["yesterday's", ["plants.jsonl"]]);
	});

	it.for([
		["SIGINT", "keys", 130],
		["SIGTERM", "settings", 143],
		["SIGTERM", "get", 143],
		["SIGHUP", "get", 129],
	] as const)(
		"an export that %s ends during %s leaves the earlier file, and nothing else",
		async ([signal, stage, expected], { expect }) => {
			const started = Promise.withResolvers<ChildProcess>();
			const here = await deployed(2500, async (call, times) => {
				if (call !== stage || times !== (stage === "settings" ? 0 : 1)) return undefined;
				const child = await started.promise;
				child.kill(signal);
				await once(child, "close");
				return "cut before";
			});
			here.write("yesterday's");
			const { status, stderr } = await here.exported(started.resolve);
			expect(status).toBe(expected);
			expect(stderr).toContain("Not exported: interrupted");
			expect([here.read(), here.files()]).toEqual(["yesterday's", ["plants.jsonl"]]);
		},
	);

	it("an export that SIGKILL ends leaves the earlier file, and the next one removes the rest", async ({
		expect,
	}) => {
		const started = Promise.withResolvers<ChildProcess>();
		const here = await deployed(150, async (call) => {
			if (call === "get") (await started.promise).kill("SIGKILL");
			return undefined;
		});
		here.write("yesterday's");
		await here.exported(started.resolve);
		expect(here.read()).toBe("yesterday's");
		expect(here.files()).toHaveLength(2);
		here.api.fault = () => undefined;
		expect(await here.exported()).toMatchObject({ status: 0 });
		expect([here.read(), here.files()]).toEqual([here.lines(), ["plants.jsonl"]]);
	});

	it("on a disk that takes no more is not exported, and the earlier file stays", async ({
		expect,
	}) => {
		const here = await deployed(5000);
		here.write("yesterday's");
		// As little as a shell can allow: 512 bytes, or 1,024.
		const args = ["plants.jsonl", "--remote"];
		const { status, stderr } = await here.run("export", args, {
			env: here.api.env,
			first: "ulimit -f 1",
		});
		expect(status).toBe(1);
		expect(stderr).toMatch(/Not exported: EFBIG/);
		expect([here.read(), here.files()]).toEqual(["yesterday's", ["plants.jsonl"]]);
	});

	it("is whole after a restore that was interrupted and repeated", async ({ expect }) => {
		const lines = Array.from({ length: 25_000 }, (_, id) => `{"id":${id},"name":"Plant ${id}"}\n`);
		const started = Promise.withResolvers<ChildProcess>();
		const here = await deployed(0, async (call, times) => {
			if (call !== "put" || times !== 1) return undefined;
			const child = await started.promise;
			child.kill("SIGINT");
			await once(child, "close");
			return "cut before";
		});
		here.write(lines.join(""));
		const { status, stderr } = await here.restored(started.resolve);
		expect(status).toBe(130);
		expect(stderr).toMatch(
			/Not fully restored: interrupted\.\n10000 of 25000 plants are known to be written\. Run it again/,
		);
		expect(here.api.values.size).toBe(10_000);
		expect(await here.restored()).toMatchObject({ status: 0 });
		expect(here.lines()).toBe(lines.sort().join(""));
	});
});

describe.concurrent("a wrong command line does nothing, and is told the right one", () => {
	const export_ = "npm run export -- plants.jsonl";
	const restore = "npm run restore -- plants.jsonl";
	it.for<["export" | "restore", string, string, Record<string, string>?]>([
		["export", "", export_],
		["restore", "", restore],
		["export", "--remote", `${export_} --remote`],
		["export", "plants.jsonl more", export_],
		["export", "plants.jsonl --env staging", `${export_} --remote --env staging`],
		[
			"restore",
			"plants.jsonl --env staging",
			`${restore} --remote --env staging --into plant-store-staging`,
		],
		["export", "plants.jsonl --remote --into plant-store", `${export_} --remote`],
		["restore", "plants.jsonl --into plant-store", `${restore} --remote --into plant-store`],
		["restore", "plants.jsonl --remote", `${restore} --remote --into plant-store`],
		["restore", "plants.jsonl --remote --into plant", `${restore} --remote --into plant-store`],
		[
			"restore",
			"plants.jsonl --remote --into plant-store-staging",
			`${restore} --remote --env staging --into plant-store-staging`,
		],
		[
			"restore",
			"plants.jsonl --remote --env staging --into plant-store",
			`${restore} --remote --env staging --into plant-store-staging`,
		],
		["export", "plants.jsonl", `${export_} --remote`, { npm_config_remote: "true" }],
		[
			"export",
			"plants.jsonl staging",
			`${export_} --remote --env staging`,
			{ npm_config_remote: "true", npm_config_env: "true" },
		],
		[
			"restore",
			"plants.jsonl plant-store",
			`${restore} --remote --into plant-store`,
			{ npm_config_into: "true" },
		],
		[
			"export",
			"plants.jsonl --name x",
			"Unknown option '--name'. Usage: npm run export -- plants.jsonl [--remote [--env NAME]]",
		],
		[
			"export",
			"plants.jsonl --remote --env qa",
			"wrangler.toml has no [env.qa]. Its environments: staging.",
		],
	])("%s %s", async ([command, args, message, env = {}], { expect }) => {
		const here = await deployed(1);
		here.write("yesterday's");
		let calls = 0;
		here.api.fault = () => void calls++;
		const { status, stdout, stderr } = await here.run(command, args.split(" ").filter(Boolean), {
			env: { ...here.api.env, ...env },
		});
		expect({ status, stdout, calls }).toEqual({ status: 1, stdout: "", calls: 0 });
		expect(stderr).toMatch(new RegExp(`${RegExp.escape(message)}(\\.|\n|$)`));
		expect([here.read(), here.files()]).toEqual(["yesterday's", ["plants.jsonl"]]);
	});
	it("a wrangler.toml that can't be read", async ({ expect }) => {
		const here = place();
		for (const content of ["name = ", "names = 1", undefined]) {
			const path = join(here.folder, "wrangler.toml");
			if (content) writeFileSync(path, content);
			else rmSync(path);
			const { status, stderr } = await here.run("export");
			expect({ status, lines: stderr.trimEnd().split("\n").length }).toEqual({
				status: 1,
				lines: 1,
			});
			expect(stderr).toContain("wrangler.toml can't be read: ");
		}
	});
	it("a destination that is no file", async ({ expect }) => {
		const here = place();
		mkdirSync(join(here.folder, "folder"));
		symlinkSync("/dev/null", join(here.folder, "device"));
		for (const [name, problem] of [
			["folder", "is not a file"],
			["device", "is not a file"],
			["none/x", "ENOENT"],
		]) {
			const { status, stderr } = await here.run("export", [`${name}`]);
			expect(status).toBe(1);
			expect(stderr).toContain(problem);
		}
		expect(here.files().sort()).toEqual(["device", "folder"]);
	});
});
