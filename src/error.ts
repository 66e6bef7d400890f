// The body of the answer to every failure.
import * as z from "zod/mini";

/** The HTTP status code that names a failure most precisely, and a sentence for a person. */
export const ErrorBody = z.object({ error: z.int32(), message: z.string() });
export type ErrorBody = z.output<typeof ErrorBody>;
