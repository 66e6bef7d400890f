// What a plant is: the schemas that validate it, that its types come from and that describe it.
import * as z from "zod/mini";

const describe = z.globalRegistry;

/** A plant as the service answers it. Any string will do, the empty one too. */
export const Plant = z
	.object(
		{
			name: z
				.string("must be given, as a string")
				.register(describe, { description: "The name of the plant" }),
			tag: z
				.optional(z.string("must be a string, or be left out"))
				.register(describe, { description: "What type of plant it is" }),
		},
		"must be a JSON object",
	)
	.register(describe, { id: "Plant", description: "A plant in the store" });

/** A plant as a client sends it, `id` as a bigint; members it does not name are dropped. */
export const NewPlant = z
	.object(
		{
			id: z
				.int64(
					"must be given, as a JSON number that is an integer from -9223372036854775808 to 9223372036854775807",
				)
				.register(describe, {
					description: "The identification number of the plant",
				}),
			...Plant.shape,
		},
		"must be a JSON object",
	)
	.register(describe, { id: "NewPlant", description: "A plant to create" });

export type Plant = z.output<typeof Plant>;
export type NewPlant = z.output<typeof NewPlant>;
