// What the body of a failure is. Only its type goes into the Worker.
import * as z from "zod/mini";

/** The body of every answer that is not a Plant. */
export const ErrorBody = z
	.object({
		error: z.int32().register(z.globalRegistry, {
			description: "The HTTP status code that names the failure most precisely",
		}),
		message: z.string().register(z.globalRegistry, {
			description: "A sentence for a person, which says what to change",
		}),
	})
	.register(z.globalRegistry, {
		id: "Error",
		description: "Why a request failed",
	});

export type ErrorBody = z.output<typeof ErrorBody>;
