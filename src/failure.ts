// What every failure becomes: an Error for the client and, where it is not the client's, a line in the log.
import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ErrorBody } from "./openapi.ts";
import type { NewPlant } from "./plant.ts";
import { isKvError } from "./store.ts";

/** Seconds until it makes sense to send a plant again that the store did not take. */
const RETRY_AFTER = "10";

/**
 * Answers whatever was thrown while a request was handled: an HTTPException with its status as the
 * number in `error`, anything else with 500. The operation declares no status for a failure but 400
 * and 401, so these go out under 400; 404 and 405 are outside the operation.
 */
export const answerFailure: ErrorHandler<{ Bindings: Env }> = (thrown, c) => {
	const failure =
		thrown instanceof HTTPException
			? thrown
			: new HTTPException(500, {
					message:
						"The service failed, with or without storing the plant. Send it again: that is safe.",
					cause: thrown,
				});
	const { status, message, cause } = failure;
	if (status === 503) c.header("Retry-After", RETRY_AFTER);
	if (status >= 500) {
		// Hono tells the type of a validated body only to the route's own handler. It is there after that step.
		const plant = c.req.valid("json" as never) as NewPlant | undefined;
		const id = plant && `${plant.id}`;
		const ray = c.req.header("CF-Ray");
		console.error(JSON.stringify({ message, error: status, id, ray, ...explain(cause) }));
	}
	const declared = status === 401 || status === 404 || status === 405 ? status : 400;
	return c.json<ErrorBody>({ error: status, message }, declared);
};

/** What may be logged of an exception: KV's own words, else its kind and place. Another's message may quote a plant. */
function explain(cause: unknown) {
	if (isKvError(cause)) return { cause: cause.message };
	if (!(cause instanceof Error)) return { cause: typeof cause };
	const [heading, stack] = [`${cause}\n`, `${cause.stack}`];
	return { cause: cause.name, stack: stack.startsWith(heading) ? stack.slice(heading.length) : "" };
}
