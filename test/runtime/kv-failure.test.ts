// A KV that fails: the attempts, the waits between them, the answer and the log.
// The exceptions are made by hand here; test/node/kv-exceptions.test.ts has those of workerd.
import { describe, expect, it, vi } from "vitest";
import { expectError, expectPlant } from "../support/answers.ts";
import { createIn, key, kv, plant, ray, refused, seen, value } from "./failing-kv.ts";

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
		refused("500 Internal Server Error"),
		new Error("KV GET failed: 503 Service Unavailable"),
	])("%s", async (error) => {
		const store = kv(error, error, error, "ok");
		await expectPlant(await createIn(store), plant);
		expect(store.put.mock.calls).toEqual(Array(4).fill([key, value]));
		for (const [index, least] of [1000, 1500, 2500].entries()) {
			expect(seen.waits[index]).toBeGreaterThanOrEqual(least);
			expect(seen.waits[index]).toBeLessThanOrEqual(least * 1.25);
		}
		expect(seen.log).toEqual([]);
	});
	it("after waits that differ from one request to the next", async () => {
		const error = refused("429 Too Many Requests");
		for (let times = 0; times < 2; times++) await createIn(kv(error, error, error, "ok"));
		expect(seen.waits).toHaveLength(6);
		expect(seen.waits.slice(0, 3)).not.toEqual(seen.waits.slice(3));
	});
});

describe("a write that KV does not acknowledge is 503 with Retry-After, and logged once", () => {
	it.each([
		[refused("429 Too Many Requests"), 4],
		[refused("428 Precondition Required"), 1],
		[new Error("KV put() limit exceeded for the day."), 1],
		[Object.assign(new Error("Not to be tried again."), { retryable: false }), 1],
	])("%s: after %i attempts", async (error, attempts) => {
		const store = kv(error);
		const answer = await createIn(store);
		await expectError(answer, 503, /again/);
		expect(answer.headers.get("Retry-After")).toBe("10");
		expect(store.put).toHaveBeenCalledTimes(attempts);
		expect(seen.waits).toHaveLength(attempts - 1);
		const message = expect.any(String);
		expect(seen.log).toEqual([{ error: 503, ray, id: key, message, cause: error.message }]);
	});
});
