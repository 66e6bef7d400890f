// What every failure becomes: an Error for the client and, if the service is at fault, a line in the log.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ErrorBody } from "./error.ts";
import type { NewPlant } from "./plant.ts";

/** A request that failed, perhaps after its plant was found valid. */
type Failed = Context<{ Bindings: Env }, string, { out: { json: NewPlant | undefined } }>;

/**
 * Answers whatever was thrown while a request was handled: an HTTPException with its status as the
 * number in `error`, anything else with 500. The contract declares only 400 and 401 for failures of
 * its operation, so all others go out under 400; 404 and 405 are outside the operation.
 */
export function answerFailure(thrown: Error, c: Failed): Response {
	const plant = c.req.valid("json");
	const failure = thrown instanceof HTTPException ? thrown : unexpected(plant);
	const { status: error, message, cause } = failure;
	if (error === 503) c.header("Retry-After", "10");
	if (error >= 500) {
		const id = plant?.id.toString();
		const ray = c.req.header("CF-Ray");
		// Only KV's own message, which store() gives as the cause: any other may quote a plant.
		const reason =
			cause instanceof Error
				? { cause: cause.message }
				: { cause: thrown.name, stack: stackOf(thrown) };
		console.error(JSON.stringify({ message, error, id, ray, ...reason }));
	}
	const status = error === 401 || error === 404 || error === 405 ? error : 400;
	return c.json<ErrorBody>({ error, message }, status);
}

function unexpected(plant: NewPlant | undefined): HTTPException {
	const message = plant
		? "The service failed, perhaps after storing the plant. Send it again."
		: "The service failed. Send the request again.";
	return new HTTPException(500, { message });
}

/** An exception's stack without its heading, which repeats the message. */
function stackOf(thrown: Error): string {
	const [heading, stack = ""] = [`${thrown}\n`, thrown.stack];
	return stack.startsWith(heading) ? stack.slice(heading.length) : "";
}
