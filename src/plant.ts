// A plant: the schemas that validate it, and from which its types and OpenAPI schemas are made.
import * as z from "zod/mini";

/** The size of the largest body in which a plant can be sent, in bytes. */
export const MAX_BODY_BYTES = 100 * 1024;

/** A plant as the service returns it. Its strings may be empty. */
export const Plant = z.object({
	name: z.string("a string is required"),
	tag: z.optional(z.string("must be a string, or be left out")),
});
export type Plant = z.output<typeof Plant>;

/** A plant to create. Its id is a bigint, as from parseJson. Unknown members are dropped. */
export const NewPlant = z.object(
	{
		id: z.int64("an integer from -2^63 to 2^63 - 1 is required, as a JSON number"),
		...Plant.shape,
	},
	"must be a JSON object",
);
