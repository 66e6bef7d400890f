// Fakes of what the service depends on: KV, the clock and the log.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { plant } from "../support/members.ts";
import { accepted, create } from "./app.ts";

/** The plant that `createWithKv` creates: its key in KV, and its JSON, as sent and as stored. */
export const plantKey = "4711";
export const plantJson = `{"id":${plantKey},${JSON.stringify(plant).slice(1)}`;

/** The ray of the request, which the log names. */
export const ray = "8f1a2b3c4d5e6f70";

/** The headers of an accepted request, with its ray. */
export const withRay = { ...accepted, "CF-Ray": ray };

/** Creates the plant in a service with this as its KV namespace. */
export const createWithKv = (PLANTS: unknown) => create(plantJson, withRay, { ...env, PLANTS });

/**
 * A KV namespace with these outcomes of writes: "ok", or an exception. The last one repeats. Each
 * takes `duration` milliseconds. `starts` has the start of each write, in milliseconds since
 * this call.
 */
export function fakeKv(outcomes: unknown[], duration = 0) {
	const start = Date.now();
	const starts: number[] = [];
	const put = vi.fn(async (_key: string, _value: string) => {
		const outcome = outcomes[starts.length] ?? outcomes.at(-1);
		starts.push(Date.now() - start);
		await advanceClock(duration);
		if (outcome !== "ok") throw outcome;
	});
	return { put, starts };
}

/** The exception that KV throws if it responds to a write with this status. */
export const refused = (status: string) => new Error(`KV PUT failed: ${status}`);

/** The lines in the log of the current test, after `fakeTimeAndLog`. */
export const logLines: object[] = [];

/** The line of a failure with this number, of a request with the operator's token and the ray. */
export const logged = (error: number) => ({
	method: error >= 500 ? "error" : "warn",
	error,
	client: "ACCESS_TOKEN",
	ray,
});

/** Moves the clock. As with a real wait, the time is the old one until this is awaited. */
export async function advanceClock(milliseconds: number) {
	await new Promise((over) => setTimeout(over));
	vi.setSystemTime(Date.now() + milliseconds);
}

/** What `console` does in a test: keeps the JSON of a line in `logLines`, with the method's name. */
const fakeConsole = new Proxy(console, {
	get: (_, method) => (line: string) => {
		logLines.push({ method, ...JSON.parse(line) });
	},
});

/** For each test of a file: waits move the clock instead of lasting, and `logLines` keeps the log. */
export function fakeTimeAndLog() {
	beforeEach(() => {
		logLines.length = 0;
		vi.useFakeTimers({ toFake: ["Date"], now: 0 });
		vi.spyOn(scheduler, "wait").mockImplementation(advanceClock);
		vi.stubGlobal("console", fakeConsole);
	});
	afterEach(() => {
		vi.useRealTimers();
		vi.unstubAllGlobals();
	});
}
