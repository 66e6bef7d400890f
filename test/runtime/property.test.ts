// Properties of every NewPlant, and of all other JSON.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import { problemsOf } from "../support/document.ts";
import { create, expectError, expectPlant } from "../support/plants.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
/** Any string of UTF-16 code units, lone surrogates among them. */
const text = fc.string({
	unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

/** Random values for each type of member, except the id. */
const VALUES: Record<string, fc.Arbitrary<unknown>> = { string: text };

// The members are those of the document.
const { properties, required = [] } = openapi.components.schemas.NewPlant;
const { id: _, ...members } = properties;
const plant = fc.record(
	Object.fromEntries(
		Object.entries<{ type?: string }>(members).map(([member, { type }]) => {
			const values = VALUES[`${type}`];
			if (!values) throw new Error(`Add random values of the type ${type}, for ${member}.`);
			return [member, values];
		}),
	),
	{ requiredKeys: required.filter((member) => member !== "id") },
);

/** The ways to write an integer as a JSON number. */
const notation = fc.constantFrom(
	(id: bigint) => `${id}`,
	(id: bigint) => `${id}.000`,
	(id: bigint) => `${id}e0`,
	(id: bigint) => `${id * 1000n}E-3`,
	(id: bigint) =>
		`${id}`.replace(/^(-?\d)(\d*)$/, (_, first, rest) => `${first}.${rest}0e+${rest.length}`),
	(id: bigint) =>
		`${id}`.replace(/^(-?)(\d+)$/, (_, sign, digits) => `${sign}0.${digits}e${digits.length}`),
);

it("any valid NewPlant is answered and stored exactly", async () => {
	await fc.assert(
		fc.asyncProperty(int64, notation, plant, async (id, write, plant) => {
			const members = JSON.stringify(plant).slice(1);
			await expectPlant(await create(`{"id":${write(id)},${members}`), plant);
			expect(await env.PLANTS.get(`${id}`)).toBe(`{"id":${id},${members}`);
		}),
		{ numRuns: 500 },
	);
});

it("any JSON that is not a NewPlant is 422 and stores nothing", async () => {
	const before = (await env.PLANTS.list()).keys.length;
	const names = Object.keys(properties);
	const member = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.jsonValue());
	const almost = fc.record(Object.fromEntries(names.map((name) => [name, member])), {
		requiredKeys: [],
	});
	const message = new RegExp(`^(body|${names.join("|")}): `);
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(fc.jsonValue(), almost).map((value) => JSON.stringify(value)),
			async (json) => {
				fc.pre(problemsOf(openapi.components.schemas.NewPlant, JSON.parse(json)).length > 0);
				await expectError(await create(json), 422, message);
			},
		),
		{ numRuns: 500 },
	);
	expect((await env.PLANTS.list()).keys.length).toBe(before);
});

it("any integer outside int64, and any fraction, is 422", async () => {
	const outside = fc
		.oneof(fc.bigInt({ min: 2n ** 63n }), fc.bigInt({ max: -(2n ** 63n) - 1n }))
		.map(String);
	const digits = fc.stringMatching(/^\d{0,25}[1-9]$/);
	const fraction = fc.tuple(int64, digits).map(([id, rest]) => `${id}.${rest}`);
	await fc.assert(
		fc.asyncProperty(fc.oneof(outside, fraction), async (id) => {
			await expectError(await create(`{"id":${id},"name":"Monstera"}`), 422, /^id: /);
		}),
		{ numRuns: 500 },
	);
});
