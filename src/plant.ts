// What a plant is: the schemas that validate it, and that its types and its description come from.
import * as z from "zod/mini";

/** A plant as the service answers it. Any string will do, the empty one too. */
export const Plant = z.object({
	name: z.string("must be given, as a string"),
	tag: z.optional(z.string("must be a string, or be left out")),
});

/** A plant as a client sends it, its id as a bigint. Members that it does not name are dropped. */
export const NewPlant = z.object(
	{
		id: z.int64(
			"must be given, as a JSON number that is an integer from -9223372036854775808 to 9223372036854775807",
		),
		...Plant.shape,
	},
	"must be a JSON object",
);

export type NewPlant = z.output<typeof NewPlant>;
