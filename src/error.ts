// Exceptions become Errors for the client and, from 500 up, lines in the log.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { StoreException } from "./store.ts";

/**
 * Answers an exception with an Error. An HTTPException that has a response of its own is answered
 * with that, as in Hono.
 */
export function answerException(exception: Error, c: Context): Response {
	const httpException =
		exception instanceof HTTPException
			? exception
			: new HTTPException(500, { message: "The service failed. Send the request again." });
	const { status: error, message } = httpException;
	if (error >= 500) log(error, exception, c);
	if (httpException.res) {
		const response = httpException.getResponse();
		// newResponse() adds the headers that middleware has set.
		return c.newResponse(response.body, response);
	}
	if (error === 503) c.header("Retry-After", "10");
	// The operation fails only with 400 or 401; other paths and methods get 404 and 405.
	const httpStatus = error === 401 || error === 404 || error === 405 ? error : 400;
	return c.json({ error, message: message || "The request failed." }, httpStatus);
}

/** Logs an exception. Only KV's messages are logged: others may quote a plant or a token. */
function log(error: number, exception: Error, c: Context) {
	const ray = c.req.header("CF-Ray");
	const details =
		exception instanceof StoreException
			? { id: exception.id, cause: exception.cause }
			: { cause: exception.name, stack: framesOf(exception) };
	console.error(JSON.stringify({ error, ray, ...details }));
}

/** The frames of an exception's stack, without the heading, which repeats the message. */
function framesOf(exception: Error): string {
	// `${exception}` would call toString, which zod's errors override.
	const heading = `${Error.prototype.toString.call(exception)}\n`;
	const { stack = "" } = exception;
	return stack.startsWith(heading) ? stack.slice(heading.length) : "";
}
