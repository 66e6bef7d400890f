// Random and hostile bodies: every response keeps the contract.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import * as members from "../support/members.ts";
import { expectPlant, problemsOf } from "../support/responses.ts";
import { create } from "./app.ts";

const { schemas } = openapi.components;
const encoder = new TextEncoder();

/** Expects a response in the contract, and a plant in KV only after 200. */
async function expectContract(body: Uint8Array) {
	const response = await create(body);
	const json = await response.json<{ error?: number }>();
	const { keys } = await env.PLANTS.list();
	for (const { name } of keys) await env.PLANTS.delete(name);
	expect([undefined, 400, 422], JSON.stringify(json)).toContain(json.error);
	expect(response.status).toBe(json.error ? 400 : 200);
	expect(problemsOf(json.error ? schemas.Error : schemas.Plant, json)).toEqual([]);
	expect(keys).toHaveLength(json.error ? 0 : 1);
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const plant = fc.record(members.valid, { requiredKeys: ["name"] });

/** The ways to write an integer as a JSON number. */
const notation = fc.constantFrom(
	(id: bigint) => `${id}`,
	(id: bigint) => `${id}.000`,
	(id: bigint) => `${id * 1000n}E-3`,
	(id: bigint) => `${id}`.replace(/\d+/, (digits) => `0.${digits}e+${digits.length}`),
);

it("any valid NewPlant is returned and stored exactly", async () => {
	await fc.assert(
		fc.asyncProperty(int64, notation, plant, async (id, write, plant) => {
			const rest = JSON.stringify(plant).slice(1);
			await expectPlant(await create(`{"id":${write(id)},${rest}`), plant);
			expect(await env.PLANTS.get(`${id}`)).toBe(`{"id":${id},${rest}`);
			await env.PLANTS.delete(`${id}`);
		}),
		{ numRuns: 500 },
	);
});

const rest = JSON.stringify(members.plant).slice(1, -1);
const valid = encoder.encode(
	String.raw`{"id":-9007199254740993.0e+00,${rest},"more":["\u00e9🌵\"\\",1e5,{"id":null}]}`,
);

it("a valid body with bytes changed, removed or inserted", async () => {
	const tokens = '"\\{}[]:,.-+eE0919 \t\n\0'.split("").map((text) => encoder.encode(text));
	const put = fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...tokens));
	const change = fc.record({ at: fc.nat(valid.length - 1), cut: fc.nat(3), put });
	await fc.assert(
		fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
			let body = [...valid];
			for (const { at, cut, put } of changes) body = body.toSpliced(at, cut, ...put);
			await expectContract(new Uint8Array(body));
		}),
		{ numRuns: 400 },
	);
});
