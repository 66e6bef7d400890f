// `npm run export` and `npm run restore`: all plants out, and in again, exact.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "plant-store-backup-"));
	copyFileSync("wrangler.toml", join(folder, "wrangler.toml"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a command in a folder of its own, where the local KV is. */
function start(command: "export" | "restore", args: string[], env: Record<string, string> = {}) {
	const script = join(process.cwd(), `operate/${command}.ts`);
	return spawn(process.execPath, [script, ...args], {
		cwd: folder,
		stdio: "pipe",
		env: { ...process.env, ...env },
	});
}

/** How a command ends, and what it writes. */
async function end(child: ReturnType<typeof start>) {
	const output = Promise.all([text(child.stdout), text(child.stderr)]);
	const [status] = await once(child, "close");
	const [stdout, stderr] = await output;
	return { status, stdout, stderr };
}

const exported = (args: string[] = [], env = {}) => end(start("export", args, env));
function restored(file: string | Buffer, args: string[] = [], env = {}) {
	const child = start("restore", args, env);
	child.stdin.end(file);
	return end(child);
}

const sorted = (file: string) => file.split("\n").sort();

/** Any string of UTF-16 code units, lone surrogates among them. */
const anyText = fc.string({
	unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});
const id = fc.oneof(
	fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
	fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, 2n ** 53n + 1n),
);
const plant = fc.record(
	{ id, name: fc.oneof(fc.string(), anyText), tag: anyText },
	{ requiredKeys: ["id", "name"] },
);

/** Some thousand different plants, as lines. */
function manyPlants(): string {
	const plants = fc.sample(
		fc.uniqueArray(plant, { selector: ({ id }) => id, minLength: 3000, maxLength: 3000 }),
		1,
	);
	const lines = plants
		.flat()
		.map(({ id, ...rest }) => `{"id":${id},${JSON.stringify(rest).slice(1)}\n`);
	return lines.join("");
}

describe("the KV of npm run dev", () => {
	it("gives thousands of plants back as they were put in, and again after they were put in twice", async () => {
		const file = manyPlants();
		expect(await restored(file)).toEqual({
			status: 0,
			stdout: "",
			stderr:
				"Restored 3000 plants into the KV of npm run dev. Plants in KV that are not in the file stay as they are.\n",
		});
		const first = await exported();
		expect(first).toMatchObject({
			status: 0,
			stderr: "Exported 3000 plants from the KV of npm run dev.\n",
		});
		expect(sorted(first.stdout)).toEqual(sorted(file));
		expect(await restored(first.stdout)).toMatchObject({ status: 0 });
		expect((await exported()).stdout).toBe(first.stdout);
	});
	it("is not mistaken for an empty one before there is one", async () => {
		const { status, stdout, stderr } = await exported();
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).toContain("no local KV");
	});
	it("takes ids in any notation, replaces plants of the same id, and keeps the others", async () => {
		await restored('{"id":100,"name":"old","tag":"x"}\n{"id":-5,"name":"stays"}\n');
		await restored(
			'{"tag":"y","more":[1],"name":"new","id":1e2}\r\n{"id":7.0,"name":"no line end"}',
		);
		const { stdout } = await exported();
		expect(sorted(stdout)).toEqual(
			sorted(
				'{"id":100,"name":"new","tag":"y"}\n{"id":-5,"name":"stays"}\n{"id":7,"name":"no line end"}\n',
			),
		);
	});
	it("takes nothing while a line is wrong, and every wrong line is named", async () => {
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
			["id 5 is in line 1, too", '{"id":5.0,"name":"x"}'],
		];
		const good = '{"id":5,"name":"good"}';
		const lines = [good, ...wrong.map(([, line]) => line)].join("\n");
		const latin1 = Buffer.from('\n{"id":6,"name":"\xe9"}\n', "latin1");
		const { status, stdout, stderr } = await restored(Buffer.concat([Buffer.from(lines), latin1]));
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).not.toContain("secret");
		const named = [...wrong.map(([problem]) => problem), "is not UTF-8"];
		expect(stderr.trimEnd().split("\n")).toEqual([
			...named.map((problem, index) => expect.stringContaining(`Line ${index + 2}: ${problem}`)),
			"Nothing was written.",
		]);
		expect(existsSync(join(folder, ".wrangler"))).toBe(false);
	});
	it("takes no empty file, as a failed export leaves it", async () => {
		expect(await restored("")).toMatchObject({ status: 1, stderr: expect.stringMatching(/empty/) });
	});
});

describe("a deployed KV", () => {
	/** What KV holds, and what the API does with a call before it answers; it may answer itself. */
	let values: Map<string, string>;
	let before: (method: string, path: string) => Promise<number | undefined>;
	const api = createServer(async (request, response) => {
		const { pathname } = new URL(request.url ?? "", "http://api");
		const [, path = ""] = /^\/accounts\/account(\/.*)$/.exec(pathname) ?? [];
		const body: unknown = request.method === "GET" ? undefined : await json(request);
		const failure = await before(request.method ?? "", path);
		let result: unknown;
		if (path === "/workers/scripts/plant-store/settings") {
			result = { bindings: [{ name: "PLANTS", type: "kv_namespace", namespace_id: "namespace" }] };
		} else if (path.endsWith("/keys")) result = [...values.keys()].map((name) => ({ name }));
		else if (path.endsWith("/bulk/get") && body && typeof body === "object" && "keys" in body) {
			const { keys } = body;
			if (!Array.isArray(keys) || keys.length > 100) return void response.writeHead(400).end();
			result = { values: Object.fromEntries(keys.map((key) => [key, values.get(key) ?? null])) };
		} else if (path.endsWith("/bulk") && Array.isArray(body) && !failure) {
			for (const { key, value } of body) values.set(key, value);
			result = { successful_key_count: body.length, unsuccessful_keys: [] };
		}
		response.writeHead(failure ?? (result ? 200 : 404), { "Content-Type": "application/json" });
		response.end(
			JSON.stringify({ result, result_info: { cursor: "" }, errors: [{ message: "a fault" }] }),
		);
	});
	let env: Record<string, string>;
	beforeAll(async () => {
		await once(api.listen(0, "127.0.0.1"), "listening");
		// The address of a TCP server is not a path.
		const { port } = api.address() as AddressInfo;
		env = {
			CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
			CLOUDFLARE_API_TOKEN: "api-token",
			CLOUDFLARE_ACCOUNT_ID: "account",
		};
	});
	afterAll(() => void api.close());
	beforeEach(() => {
		values = new Map();
		before = async () => undefined;
	});
	const fill = (count: number) => {
		for (let id = 1; id <= count; id++) values.set(`${id}`, `{"id":${id},"name":"Plant ${id}"}`);
	};

	it("is exported without values that are not plants, which are named", async () => {
		fill(250);
		values.set("somebody", "else").set("300", '{"id":301,"name":"another id"}');
		values.set("400", '{"id":400,\n"name":"two lines"}').set("500", '{"id":500}');
		const { status, stdout, stderr } = await exported(["--remote"], env);
		expect(status).toBe(0);
		expect(stdout.split("\n")).toHaveLength(251);
		expect(stderr).toMatch(/^Exported 250 plants from the KV of plant-store. 4 other values/);
		for (const key of ["somebody", "300", "400", "500"])
			expect(stderr).toContain(`the key "${key}"`);
		expect(stderr).not.toMatch(/else|another id|two lines/);
	});
	it("is not exported at all when a read fails in the middle", async () => {
		fill(1000);
		let reads = 0;
		before = async (_, path) => (path.endsWith("/bulk/get") && ++reads === 6 ? 403 : undefined);
		const { status, stdout, stderr } = await exported(["--remote"], env);
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).toMatch(
			/^Not exported, after \d+ plants: Cloudflare's API, .*a fault \(403\)\n/,
		);
	});
	it("is not exported at all when a listed key has no value", async () => {
		fill(150);
		let reads = 0;
		before = async (_, path) => {
			if (path.endsWith("/bulk/get") && reads++ === 0) values.delete("120");
			return undefined;
		};
		const { status, stdout, stderr } = await exported(["--remote"], env);
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).toContain("120");
	});
	it("is exported in smaller parts where its values are too large for one call, and after a fault that passes", async () => {
		fill(100);
		let reads = 0;
		before = async (_, path) => (path.endsWith("/bulk/get") ? [413, 500][reads++] : undefined);
		const { status, stdout } = await exported(["--remote"], env);
		expect({ status, lines: stdout.split("\n").length }).toEqual({ status: 0, lines: 101 });
		expect(reads).toBe(4);
	});
	it.each([
		["no word", []],
		["another Worker's name", ["--into", "plant-store-staging"]],
	])("is not written to with %s", async (_, args) => {
		const { status, stderr } = await restored('{"id":1,"name":"x"}\n', ["--remote", ...args], env);
		expect({ status, values: values.size }).toEqual({ status: 1, values: 0 });
		expect(stderr).toContain("--into plant-store\n");
	});
	it("is whole after a restore that was interrupted and repeated", async () => {
		const lines = Array.from({ length: 25_000 }, (_, id) => `{"id":${id},"name":"Plant ${id}"}\n`);
		const args = ["--remote", "--into", "plant-store"];
		let child: ChildProcess | undefined;
		let writes = 0;
		before = async (method) => {
			if (method === "PUT" && ++writes === 2 && child) {
				child.kill("SIGINT");
				await once(child, "close");
			}
			return undefined;
		};
		const interrupted = start("restore", args, env);
		child = interrupted;
		interrupted.stdin.end(lines.join(""));
		const { status, stderr } = await end(interrupted);
		expect(status).toBe(130);
		expect(stderr).toMatch(
			/^Not all restored, only \d+ plants of 25000 for sure: interrupted\nRun it again/,
		);
		expect(values.size).toBeLessThan(25_000);
		expect(await restored(lines.join(""), args, env)).toMatchObject({ status: 0 });
		expect([...values].map(([, value]) => `${value}\n`)).toEqual(lines);
	});
	it("is not written whole when the API refuses a part, and that is said", async () => {
		before = async (method) => (method === "PUT" ? 403 : undefined);
		const args = ["--remote", "--into", "plant-store"];
		const { status, stderr } = await restored('{"id":1,"name":"x"}\n', args, env);
		expect(status).toBe(1);
		expect(stderr).toMatch(/^Not all restored, only 0 plants of 1 for sure: .*a fault \(403\)\n/);
	});
});

it.each(["export", "restore"] as const)(
	"%s refuses an option that it does not have",
	async (command) => {
		const { status, stdout, stderr } = await end(start(command, ["--name", "x"]));
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).toContain("--name");
	},
);
