// Every failure becomes an Error for the client and, if the service is at fault, a line in the log.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ErrorBody } from "./error.ts";
import type { NewPlant } from "./plant.ts";

/** The context of a request. Its plant is undefined until it has been validated. */
type PlantContext = Context<{ Bindings: Env }, string, { out: { json: NewPlant | undefined } }>;

/**
 * Answers an exception. The number in `error` is the status of an HTTPException, and 500 for any other.
 * The operation declares only 400 and 401 for failures, so every other number is sent with status 400;
 * 404 and 405 are outside the operation. If an HTTPException has its own response, that is the answer.
 */
export function answerFailure(thrown: Error, c: PlantContext): Response {
	const plant = c.req.valid("json");
	const failure = thrown instanceof HTTPException ? thrown : unexpected(plant);
	const { status: error, message, cause, res } = failure;
	// Unlike getResponse(), newResponse() keeps headers that middleware has set.
	if (res) return c.newResponse(res.body, res);
	if (error === 503) c.header("Retry-After", "10");
	if (error >= 500) {
		const id = plant?.id.toString();
		const ray = c.req.header("CF-Ray");
		// Only the message of KV's error, which store() sets as the cause: any other may quote a plant.
		const reason =
			cause instanceof Error
				? { cause: cause.message }
				: { cause: thrown.name, stack: framesOf(thrown) };
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

/** The frames of an exception's stack, without the heading, which repeats the message. */
function framesOf(thrown: Error): string {
	// Not `${thrown}`: zod's errors override toString.
	const heading = `${Error.prototype.toString.call(thrown)}\n`;
	const { stack = "" } = thrown;
	return stack.startsWith(heading) ? stack.slice(heading.length) : "";
}
