// A service with a KV that fails on demand, its waits and its log.
// Importing this replaces scheduler.wait and console.error in every test of a file.
import { env } from "cloudflare:workers";
import { beforeEach, vi } from "vitest";
import { create, headers as accepted } from "./service.ts";

/** The plant that `createIn` creates, and the key and the value that KV is given for it. */
export const plant = { name: "Monstera deliciosa", tag: "tropical" };
export const key = "4711";
export const value = '{"id":4711,"name":"Monstera deliciosa","tag":"tropical"}';

/** The ray of the request, which the log names. */
export const ray = "8f1a2b3c4d5e6f70-FRA";

/** The headers of an accepted request, with its ray. */
export const headers = { ...accepted, "CF-Ray": ray };

/** Creates the plant in a service with this as its KV namespace. */
export const createIn = (PLANTS: unknown) => create(value, headers, { ...env, PLANTS });

/** A KV namespace with these outcomes of writes: "ok", or an exception. The last one repeats. */
export function kv(...outcomes: unknown[]) {
	let writes = 0;
	const put = vi.fn(async (_key: string, _value: string) => {
		const outcome = outcomes[writes] ?? outcomes.at(-1);
		writes++;
		if (outcome !== "ok") throw outcome;
	});
	return { put };
}

/** The exception that KV throws if it answers a write with this status. */
export const refused = (status: string) => new Error(`KV PUT failed: ${status}`);

/** The waits between attempts, in milliseconds, and the lines in the log, of the current test. */
export const seen: { waits: number[]; log: unknown[] } = { waits: [], log: [] };
beforeEach(() => {
	seen.waits = [];
	seen.log = [];
	// A wait counts only once it is over, so a wait without an await would be missing.
	vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
		await new Promise((over) => setTimeout(over));
		seen.waits.push(ms);
	});
	vi.spyOn(console, "error").mockImplementation((line) => void seen.log.push(JSON.parse(line)));
});
