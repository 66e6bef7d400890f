// What a client and an operator see when the store fails, or the service itself does.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { expectError, expectPlant } from "../support/plants.ts";

const plant = { name: "Monstera deliciosa", tag: "tropical" };
const body = `{"id":9007199254740993,${JSON.stringify(plant).slice(1)}`;
const headers = {
	Authorization: `Bearer ${env.ACCESS_TOKEN}`,
	"Content-Type": "application/json",
	"CF-Ray": "8f1a2b3c4d5e6f70-FRA",
};

/** Creates the plant in a service with this in place of its KV namespace. */
const createIn = async (PLANTS: unknown) =>
	app.request("/plants", { method: "POST", headers, body }, { ...env, PLANTS });

/** A KV namespace whose writes end one after the other as given: with what is thrown, or well. */
function kv(...outcomes: unknown[]) {
	const put = vi.fn(async (_key: string, _value: string) => {
		const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
		if (outcome !== "ok") throw outcome;
	});
	return { put };
}

const refused = (status: string) => new Error(`KV PUT failed: ${status}`);
const lost = Object.assign(new Error("Network connection lost."), {
	retryable: true,
});

let waits: number[];
let log: unknown[];
beforeEach(() => {
	waits = [];
	log = [];
	// A wait counts when it is over, so that one that nobody awaits is missing.
	vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
		await new Promise((over) => setTimeout(over));
		waits.push(ms);
	});
	vi.spyOn(console, "error").mockImplementation((line) => void log.push(JSON.parse(line)));
});
afterEach(() => vi.restoreAllMocks());

it("the Plant is answered only after KV has acknowledged it", async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	const answered = vi.fn();
	const answer = createIn({ put: () => promise }).finally(answered);
	await new Promise((done) => setTimeout(done, 20));
	expect(answered).not.toHaveBeenCalled();
	resolve();
	await expectPlant(await answer, plant);
});

describe("a write that fails for a transient reason is tried again, after waits that grow", () => {
	it.each([
		["too many writes to the key", refused("429 Too Many Requests")],
		["a fault of KV", refused("500 Internal Server Error")],
		["KV unavailable", refused("503 Service Unavailable")],
		["a lost connection", lost],
	])("%s", async (_, error) => {
		const store = kv(error, error, error, "ok");
		await expectPlant(await createIn(store), plant);
		expect(store.put.mock.calls).toEqual(Array(4).fill(["9007199254740993", body]));
		for (const [index, least] of [1000, 1500, 2500].entries()) {
			expect(waits[index]).toBeGreaterThanOrEqual(least);
			expect(waits[index]).toBeLessThanOrEqual(least * 1.25);
		}
		expect(log).toEqual([]);
	});
	it("four times in all; then the client is told 503 and when to send again", async () => {
		const store = kv(refused("429 Too Many Requests"));
		const answer = await createIn(store);
		expect(answer.headers.get("Retry-After")).toBe("10");
		await expectError(answer, 503, /again/);
		expect(store.put).toHaveBeenCalledTimes(4);
		expect(log).toEqual([
			{
				message: expect.any(String),
				error: 503,
				id: "9007199254740993",
				ray: "8f1a2b3c4d5e6f70-FRA",
				cause: "KV PUT failed: 429 Too Many Requests",
			},
		]);
	});
});

describe("a write that fails for any other reason is tried once, and answered 503", () => {
	it.each([
		refused("400 Bad Request"),
		refused("428 Precondition Required"),
		refused("401 Unauthorized"),
		refused("413 Payload Too Large"),
		new Error("KV put() limit exceeded for the day."),
	])("%s", async (error) => {
		const store = kv(error);
		const answer = await createIn(store);
		expect(answer.headers.get("Retry-After")).toBe("10");
		await expectError(answer, 503, /again/);
		expect(store.put).toHaveBeenCalledTimes(1);
		expect(log).toEqual([expect.objectContaining({ error: 503, cause: error.message })]);
	});
});

describe("an unexpected exception is 500, and logged once", () => {
	const quoting = new SyntaxError(`in ${body}\n    at ${headers.Authorization}`);
	it.each([
		["an Error that quotes the plant and the token", kv(quoting), "SyntaxError"],
		["an Error that only mentions KV", kv(new Error("Monstera KV x")), "Error"],
		["an Error that begins like one of KV's", kv(new Error("KVMonstera")), "Error"],
		["what is not an Error", kv(body), "TypeError"],
		["nothing", kv(undefined), "TypeError"],
		["a missing binding", undefined, "TypeError"],
	])("%s", async (_, PLANTS, cause) => {
		const answer = await createIn(PLANTS);
		expect(answer.headers.has("Retry-After")).toBe(false);
		await expectError(answer, 500, /again/);
		expect(log).toEqual([
			{
				message: expect.any(String),
				error: 500,
				id: "9007199254740993",
				ray: "8f1a2b3c4d5e6f70-FRA",
				cause,
				stack: expect.stringMatching(/^ +at /),
			},
		]);
	});
	it("without a stack, where that does not begin as usual", async () => {
		const error = Object.assign(new Error(plant.name), { stack: `${plant.name}\n    at x` });
		await expectError(await createIn(kv(error)), 500, /again/);
		expect(log).toEqual([expect.objectContaining({ error: 500, cause: "Error", stack: "" })]);
	});
	it("before the plant is known, too", async () => {
		const { promise } = Promise.withResolvers();
		const broken = Object.defineProperty({ ...env }, "ACCESS_TOKEN", {
			get() {
				throw new RangeError("x", { cause: promise });
			},
		});
		const answer = await app.request("/plants", { method: "POST", headers, body }, broken);
		await expectError(answer, 500, /again/);
		expect(log).toEqual([expect.objectContaining({ error: 500, cause: "RangeError" })]);
	});
	afterEach(() => {
		const text = JSON.stringify(log);
		for (const secret of [env.ACCESS_TOKEN, plant.name, plant.tag])
			expect(text).not.toContain(secret);
	});
});

it("a failure of the client's is not logged", async () => {
	await app.request("/plants", { method: "POST", headers, body: "{" }, env);
	await app.request("/plants", { method: "POST", headers: {}, body }, env);
	const wrong = { ...headers, Authorization: "Bearer wrong" };
	await app.request("/plants", { method: "POST", headers: wrong, body }, env);
	await app.request(
		"/nope",
		{},
		{ ...env, ASSETS: { fetch: async () => new Response(null, { status: 404 }) } },
	);
	expect(log).toEqual([]);
});
