// Failures become Errors for the client and, from 500 up, lines in the log.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ErrorBody } from "./error.ts";
import { StoreFailure } from "./store.ts";

const SERVICE_FAILED = "The service failed. Send the request again.";

/**
 * Answers an exception with an Error. An HTTPException that has a response of its own is answered
 * with that, as in Hono.
 */
export function answerFailure(thrown: Error, c: Context): Response {
	const failure =
		thrown instanceof HTTPException ? thrown : new HTTPException(500, { message: SERVICE_FAILED });
	const { status: error, message } = failure;
	if (error >= 500) log(error, thrown, c);
	if (failure.res) {
		// newResponse() adds the headers that middleware has set.
		const response = failure.getResponse();
		return c.newResponse(response.body, response);
	}
	if (error === 503) c.header("Retry-After", "10");
	// The interface has only 400 and 401, and the routes outside it 404 and 405.
	const httpStatus = error === 401 || error === 404 || error === 405 ? error : 400;
	return c.json<ErrorBody>({ error, message: message || "The request failed." }, httpStatus);
}

/** Logs a failure, but no exception's text except KV's: others may quote a plant or a token. */
function log(error: number, thrown: Error, c: Context) {
	const ray = c.req.header("CF-Ray");
	const details =
		thrown instanceof StoreFailure
			? { id: thrown.key, message: thrown.message, cause: thrown.cause }
			: { message: SERVICE_FAILED, cause: thrown.name, stack: framesOf(thrown) };
	console.error(JSON.stringify({ error, ray, ...details }));
}

/** The frames of an exception's stack, without the heading, which repeats the message. */
function framesOf(thrown: Error): string {
	// Not `${thrown}`: zod's errors override toString.
	const heading = `${Error.prototype.toString.call(thrown)}\n`;
	const { stack = "" } = thrown;
	return stack.startsWith(heading) ? stack.slice(heading.length) : "";
}
