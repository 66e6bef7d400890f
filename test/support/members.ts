// The members of a plant, as the tests know them: a new member belongs in each of these.
import fc from "fast-check";
import type { Plant } from "../../src/plant.ts";

/** A plant with every member. */
export const plant: Required<Plant> = { name: "Monstera deliciosa", tag: "tropical" };

/** What each member refuses, as JSON, and what the service says then. */
export const wrong: Record<keyof Plant, { values: string[]; message: string }> = {
	name: { values: ["null", "1", "{}"], message: "a string is required" },
	tag: { values: ["null", "1.5", "{}"], message: "must be a string, or be left out" },
};

/** Any string of UTF-16 code units, lone surrogates among them. */
const text = fc.string({
	unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

/** Any valid value of each member. */
export const valid: Record<keyof Plant, fc.Arbitrary<unknown>> = { name: text, tag: text };
