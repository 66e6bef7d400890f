// A KV that fails or is slow: the attempts and their times, the response and the log.
// The exceptions are made by hand here: test/node/workerd-exceptions.test.ts has those of workerd.
import { describe, expect, it, vi } from "vitest";
import { plant } from "../support/members.ts";
import { expectError, expectPlant } from "../support/responses.ts";
import {
	createWithKv,
	fakeKv,
	fakeTimeAndLog,
	plantKey,
	logLines,
	logged,
	refused,
} from "./fakes.ts";

fakeTimeAndLog();

const tooMany = refused("429 Too Many Requests");

describe("the waits between attempts grow, and no attempt begins after eight seconds", () => {
	it.each([
		[0, 0, [0, 1000, 2500, 4750]],
		[0, 1, [0, 1250, 3125, 5937]],
		[800, 1, [0, 2050, 4725]],
		[2750, 0, [0, 3750, 8000]],
		[7001, 0, [0]],
	])(
		"a KV that fails after %i ms, and %i from Math.random(): attempts at %j ms",
		async (ms, random, starts) => {
			vi.spyOn(Math, "random").mockReturnValue(random);
			const store = fakeKv([tooMany], ms);
			await expectError(await createWithKv(store), 503, /again/);
			expect(store.starts).toEqual(starts);
			// The response does not wait for an attempt that would begin too late.
			expect(Date.now()).toBe(Math.max(...starts) + ms);
		},
	);
});

it("a write that KV acknowledges after 25 seconds is 200, after one attempt", async () => {
	const store = fakeKv(["ok"], 25_000);
	await expectPlant(await createWithKv(store), plant);
	expect([Date.now(), store.starts]).toEqual([25_000, [0]]);
});

describe("a write that KV does not acknowledge is 503 with Retry-After, and logged once", () => {
	it.each([
		[tooMany, 4],
		[refused("428 Precondition Required"), 1],
		[refused("520 Unknown"), 4],
		[new Error("internal error; reference = 0a1b"), 4],
		["what is no Error", 4],
		[new Error("KV put() limit exceeded for the day."), 1],
		[new Error("another limit exceeded"), 4],
	])("%s: after %i attempts", async (exception, attempts) => {
		const store = fakeKv([exception]);
		const response = await createWithKv(store);
		const message = "The store did not acknowledge the request. Send it again later.";
		await expectError(response, 503, new RegExp(`^${message}$`));
		expect(response.headers.get("Retry-After")).toBe("10");
		expect(store.put).toHaveBeenCalledTimes(attempts);
		const cause = exception instanceof Error ? exception.message : exception;
		expect(logLines).toEqual([{ ...logged(503), id: plantKey, cause }]);
	});
});
