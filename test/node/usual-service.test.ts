// README's comparison: the same requests to the service and to bench/workers/usual-service.ts.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { serveKv } from "../support/kv-server.ts";
import { expectError, expectPlant } from "../support/responses.ts";
import { bundle, startWorkerd } from "../support/workerd.ts";

const token = "test-token";
const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
const plant = '{"id":1,"name":"Monstera"}';

/** Starts a Worker with a KV that keeps what is stored, and refuses as many writes as it is told. */
async function start(entry: string) {
	const kv: { stored: string[]; refusals: number } = { stored: [], refusals: 0 };
	const address = await serveKv((_, value) => {
		if (kv.refusals > 0) {
			kv.refusals -= 1;
			return 429;
		}
		kv.stored.push(value);
		return 200;
	});
	const external = `external = (address = "${address}", http = ())`;
	const { child, url } = await startWorkerd(bundle(entry), token, external);
	const create = (body: string | Buffer, more: Record<string, string> = {}) =>
		fetch(`${url}/plants`, { method: "POST", headers: { ...headers, ...more }, body });
	return { kv, create, child };
}

type Service = Awaited<ReturnType<typeof start>>;
let usual: Service;
let ours: Service;

beforeAll(async () => {
	usual = await start("bench/workers/usual-service.ts");
	ours = await start("src/index.ts");
});
afterAll(() => {
	usual.child.kill();
	ours.child.kill();
});
beforeEach(() => {
	usual.kv.stored = [];
	ours.kv.stored = [];
});

it("an id above 2^53: the usual service stores another one", async () => {
	const body = '{"id":9007199254740993,"name":"Monstera"}';
	await expectPlant(await usual.create(body), { name: "Monstera" });
	expect(usual.kv.stored).toEqual(['{"id":9007199254740992,"name":"Monstera"}']);
	await expectPlant(await ours.create(body), { name: "Monstera" });
	expect(ours.kv.stored).toEqual([body]);
});

it("a byte that is not UTF-8: the usual service stores another name", async () => {
	const body = Buffer.from('{"id":1,"name":"\xff"}', "latin1");
	await expectPlant(await usual.create(body), { name: "\ufffd" });
	expect(usual.kv.stored).toEqual(['{"id":1,"name":"\ufffd"}']);
	await expectError(await ours.create(body), 400, /UTF-8/);
	expect(ours.kv.stored).toEqual([]);
});

it("three faults: the usual service responds with text, text, and JSON inside JSON", async () => {
	const wrongToken = { Authorization: "Bearer other" };
	expect(await (await usual.create(plant, wrongToken)).text()).toBe("Unauthorized");
	expect(await (await usual.create("{")).text()).toBe("Malformed JSON in request body");
	const noName = await (await usual.create('{"id":1}')).text();
	expect(noName).toMatch(/^\{"success":false,"error":\{"name":"ZodError","message":"\[/);
	await expectError(await ours.create(plant, wrongToken), 401, /^Send a different bearer token/);
	await expectError(await ours.create("{"), 400, /^Send well-formed JSON/);
	await expectError(await ours.create('{"id":1}'), 422, "name: a string is required");
});

it("another media type: the usual service finds fault with the id", async () => {
	const type = { "Content-Type": "text/plain" };
	const asText = await (await usual.create(plant, type)).text();
	expect(asText).toMatch(/ \\"id\\".+Invalid input: expected number, received undefined/);
	await expectError(await ours.create(plant, type), 415, /application\/json/);
});

it("a write that KV refuses once: the usual service responds with 500", async () => {
	usual.kv.refusals = 1;
	expect((await usual.create(plant)).status).toBe(500);
	expect(usual.kv.stored).toEqual([]);
	ours.kv.refusals = 1;
	await expectPlant(await ours.create(plant), { name: "Monstera" });
	expect(ours.kv.stored).toEqual([plant]);
});
