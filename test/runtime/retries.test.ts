// A KV that fails: the attempts and their times, the answer and the log.
// The exceptions are made by hand here: test/node/workerd-exceptions.test.ts has those of workerd.
import { describe, expect, it, vi } from "vitest";
import { expectError, expectPlant } from "../support/answers.ts";
import {
	createIn,
	fakeTimeAndLog,
	key,
	kv,
	log,
	pass,
	plant,
	ray,
	refused,
	value,
} from "./fake-kv.ts";

fakeTimeAndLog();

const tooMany = refused("429 Too Many Requests");

it("the Plant is answered only after KV has acknowledged it", async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	const answered = vi.fn();
	const answer = createIn({ put: () => promise }).finally(answered);
	await new Promise((done) => setTimeout(done, 20));
	expect(answered).not.toHaveBeenCalled();
	resolve();
	await expectPlant(await answer, plant);
});

describe("a write that fails for a transient reason is tried again", () => {
	it.each([
		tooMany,
		refused("502 Bad Gateway"),
		refused("520 Unknown Error"),
		Object.assign(new Error("Network connection lost."), { retryable: true }),
	])("%s", async (error) => {
		const store = kv([error, error, error, "ok"]);
		await expectPlant(await createIn(store), plant);
		expect(store.put.mock.calls).toEqual(Array(4).fill([key, value]));
		expect(log).toEqual([]);
	});
});

describe("the waits between attempts grow, and no attempt begins after eight seconds", () => {
	it.each([
		[0, 0, [0, 1000, 2500, 4750]],
		[0, 1, [0, 1250, 3125, 5937]],
		[2000, 0, [0, 3000, 6500]],
		[2000, 1, [0, 3250, 7125]],
		[2750, 0, [0, 3750, 8000]],
		[2751, 0, [0, 3751]],
		[3500, 0, [0, 4500]],
		[5500, 1, [0, 6750]],
		[7500, 0, [0]],
	])(
		"a KV that fails after %i ms, %i for random: attempts at %j ms",
		async (ms, random, begins) => {
			vi.spyOn(Math, "random").mockReturnValue(random);
			const store = kv([tooMany], ms);
			await expectError(await createIn(store), 503, /again/);
			expect(store.begins).toEqual(begins);
			// The answer does not wait for an attempt that would begin too late.
			expect(Date.now()).toBe(Math.max(...begins) + ms);
		},
	);
	it("nor after a wait that took longer than it should", async () => {
		vi.spyOn(scheduler, "wait").mockImplementation(() => pass(8001));
		const store = kv([tooMany]);
		await expectError(await createIn(store), 503, /again/);
		expect(store.begins).toEqual([0]);
	});
});

describe("a write that KV does not acknowledge is 503 with Retry-After, and logged once", () => {
	it.each([
		[tooMany, 4],
		[refused("428 Precondition Required"), 1],
		[refused("400 Bad Request: KV PUT failed: 429"), 1],
		[new Error("KV put() limit exceeded for the day."), 1],
		[Object.assign(new Error("Not to be tried again."), { retryable: false }), 1],
	])("%s: after %i attempts", async (error, attempts) => {
		const store = kv([error]);
		const answer = await createIn(store);
		const message = "The store did not acknowledge the request. Send it again later.";
		await expectError(answer, 503, new RegExp(`^${message}$`));
		expect(answer.headers.get("Retry-After")).toBe("10");
		expect(store.put).toHaveBeenCalledTimes(attempts);
		expect(log).toEqual([{ error: 503, ray, id: key, message, cause: error.message }]);
	});
});
