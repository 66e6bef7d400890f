// A plant: the schemas that validate it and define its types and documents, and its key and value in KV.
import * as z from "zod/mini";

/** A plant as the service answers it. Any string is valid, even an empty one. */
export const Plant = z.object({
	name: z.string("is required and must be a string"),
	tag: z.optional(z.string("must be a string, or be left out")),
});
export type Plant = z.output<typeof Plant>;

/** A plant as a client sends it, its id as a bigint. Unknown members are dropped. */
export const NewPlant = z.object(
	{
		id: z.int64("is required and must be a JSON number: an integer from -2^63 to 2^63 - 1"),
		...Plant.shape,
	},
	"must be a JSON object",
);
export type NewPlant = z.output<typeof NewPlant>;

/** The key of a plant in KV: its id in decimal, such as `-5`. */
export function kvKey(id: bigint): string {
	return `${id}`;
}

/** The value of a plant in KV: `{"id":…,"name":…,"tag":…}`, with the id as an exact JSON number. */
export function kvValue(id: bigint, plant: Plant): string {
	return `{"id":${id},${JSON.stringify(plant).slice(1)}`;
}
