// Random and hostile requests: each answer keeps the contract.

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import { problemsOf } from "../support/document.ts";
import { create } from "../support/plants.ts";

const { Plant, Error: ErrorBody } = openapi.components.schemas;
const exactly = { additionalProperties: false };

/** Expects an answer that keeps the contract, and a plant in KV only after 200; returns 200 or the number in `error`. */
async function expectContract(body: Uint8Array, headers: Record<string, string> = {}) {
	const before = await env.PLANTS.list();
	const answer = await create(body, headers);
	const json = await answer.json<{ error: number }>();
	expect(answer.headers.get("Content-Type")).toBe("application/json");
	if (answer.status === 200) {
		expect(problemsOf({ ...Plant, ...exactly }, json)).toEqual([]);
		const { keys } = await env.PLANTS.list();
		for (const { name } of keys) await env.PLANTS.delete(name);
		expect(keys).toHaveLength(1);
		return 200;
	}
	expect(problemsOf({ ...ErrorBody, ...exactly }, json)).toEqual([]);
	expect([400, 401, 413, 415, 422]).toContain(json.error);
	expect(answer.status).toBe(json.error === 401 ? 401 : 400);
	expect(await env.PLANTS.list()).toEqual(before);
	return json.error;
}

const valid = new TextEncoder().encode(
	String.raw`{"id":-9007199254740993.0e+00,"name":"Monst\u00e9ra 🌵","tag":"a\"\\b","more":[1e5,{"id":null}]}`,
);

const nested = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;

it("random bytes", async () => {
	const bytes = fc.uint8Array({ maxLength: 200 });
	await fc.assert(
		fc.asyncProperty(bytes, async (body) => void (await expectContract(body))),
		{ numRuns: 300 },
	);
});

it("a valid body with bytes changed, removed or inserted", async () => {
	const mutation = fc.record({
		at: fc.nat(valid.length - 1),
		cut: fc.nat(3),
		put: fc.oneof(
			fc.uint8Array({ maxLength: 3 }),
			fc.constantFrom(...'"\\{}[]:,.-+eE0919 \t\n\0').map((text) => new TextEncoder().encode(text)),
		),
	});
	const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
	await fc.assert(
		fc.asyncProperty(mutations, async (changes) => {
			let body = [...valid];
			for (const { at, cut, put } of changes) body = body.toSpliced(at, cut, ...put);
			await expectContract(new Uint8Array(body));
		}),
		{ numRuns: 500 },
	);
});

it("a valid body cut short, at every byte", async () => {
	for (const end of valid.keys()) await expectContract(valid.slice(0, end));
});

it("any Content-Type and any Authorization that HTTP lets through", async () => {
	const header = fc.string({ unit: fc.constantFrom(...'Bearer tokn/;=",:-+*\t\x7F\x80\xFF') });
	const headers = fc.record(
		{ "Content-Type": header, Authorization: header },
		{ requiredKeys: [] },
	);
	const sendable = headers.filter((given) => {
		try {
			return Boolean(new Headers(given));
		} catch {
			return false;
		}
	});
	await fc.assert(
		fc.asyncProperty(sendable, async (given) => void (await expectContract(valid, given))),
		{ numRuns: 300 },
	);
});

it.each([
	["1 MiB of numbers", 422, () => `[${"1.5,".repeat(262_000)}1]`],
	[
		"1 MiB of numbers beside an id",
		200,
		() => `{"id":1.0,"name":"","x":[${"1,".repeat(500_000)}1]}`,
	],
	["1 MiB of escapes", 200, () => `{"id":1.0,"name":"${"\\ud83c".repeat(170_000)}"}`],
	["an id of 1 MiB of digits", 422, () => `{"id":${"9".repeat(1_048_000)},"name":""}`],
	[
		"an id of 1 MiB of zeros and a one",
		200,
		() => `{"id":0.${"0".repeat(1_000_000)}1e1000001,"name":""}`,
	],
	["an exponent of 1 MiB of digits", 422, () => `{"id":1e${"9".repeat(1_048_000)},"name":""}`],
	["an id of 0 with the same exponent", 200, () => `{"id":0e${"9".repeat(1_048_000)},"name":""}`],
	["a fraction of 1 MiB of zeros", 200, () => `{"id":1.${"0".repeat(1_048_000)},"name":""}`],
	["nesting, beside a small id", 200, () => `{"id":1,"name":"","x":${nested}}`],
	["nesting, beside a large id", 200, () => `{"id":1e18,"name":"","x":${nested}}`],
	[
		"70,000 members",
		200,
		() => `{${Array.from({ length: 70_000 }, (_, i) => `"k${i}":${i}`)},"id":1,"name":""}`,
	],
	["members of the same name", 200, () => `{${'"id":1.0,'.repeat(100_000)}"name":""}`],
])("%s: %i", async (_, expected, body) => {
	expect(await expectContract(new TextEncoder().encode(body()))).toBe(expected);
});
