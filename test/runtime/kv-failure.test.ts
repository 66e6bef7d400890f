// A KV that fails once, or every time: the attempts, the waits between them, and the answer.
// The exceptions are made by hand here; test/node/kv-exceptions.test.ts has those of workerd.
import { describe, expect, it, vi } from "vitest";
import { expectError, expectPlant } from "../support/plants.ts";
import { createIn, id, kv, lost, plant, refused, seen, value } from "./failing-kv.ts";

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
		["any other 5xx", refused("520 Unknown Error")],
		["a fault in another operation of KV", new Error("KV GET failed: 503 Service Unavailable")],
		["a lost connection", lost],
	])("%s", async (_, error) => {
		const store = kv(error, error, error, "ok");
		await expectPlant(await createIn(store), plant);
		expect(store.put.mock.calls).toEqual(Array(4).fill([`${id}`, value]));
		for (const [index, least] of [1000, 1500, 2500].entries()) {
			expect(seen.waits[index]).toBeGreaterThanOrEqual(least);
			expect(seen.waits[index]).toBeLessThanOrEqual(least * 1.25);
		}
		expect(seen.log).toEqual([]);
	});
	it("after waits that differ from one request to the next", async () => {
		const error = refused("429 Too Many Requests");
		for (let times = 0; times < 2; times++) await createIn(kv(error, error, error, "ok"));
		expect(seen.waits.slice(0, 3)).not.toEqual(seen.waits.slice(3));
	});
	it("four times in all, and then answered 503 with Retry-After", async () => {
		const store = kv(refused("429 Too Many Requests"));
		const answer = await createIn(store);
		expect(answer.headers.get("Retry-After")).toBe("10");
		await expectError(answer, 503, /again/);
		expect(store.put).toHaveBeenCalledTimes(4);
	});
});

describe("a write that fails for any other reason is tried once, and answered 503", () => {
	it.each([
		refused("400 Bad Request"),
		refused("428 Precondition Required"),
		refused("401 Unauthorized"),
		refused("413 Payload Too Large"),
		new Error("KV put() limit exceeded for the day."),
		Object.assign(new Error("Not to be tried again."), { retryable: false }),
	])("%s", async (error) => {
		const store = kv(error);
		const answer = await createIn(store);
		expect(answer.headers.get("Retry-After")).toBe("10");
		await expectError(answer, 503, /again/);
		expect(store.put).toHaveBeenCalledTimes(1);
		expect(seen.waits).toEqual([]);
	});
});
