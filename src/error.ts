// The body of every answer that is not a Plant.
import * as z from "zod/mini";

/** The number that names a failure most precisely, an HTTP status code, and a sentence for a person. */
export const ErrorBody = z.object({ error: z.int32(), message: z.string() });
export type ErrorBody = z.output<typeof ErrorBody>;
