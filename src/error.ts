// Exceptions become Errors for the client and, from 500 up, lines in the log.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { StoreException } from "./store.ts";

/**
 * Answers an exception with an Error. For an HTTPException, `error` is its status and `message` its
 * message. Any other exception is a bug: its `error` is 500.
 */
export function answerException(exception: Error, c: Context): Response {
	const bugMessage =
		"The service failed. Send the request again; if it fails again, tell the operator.";
	const { status, message } =
		exception instanceof HTTPException
			? exception
			: new HTTPException(500, { message: bugMessage });
	if (status >= 500) log(status, exception, c);
	if (status === 503) c.header("Retry-After", "10");
	// The operation fails only with 400 or 401; other paths and methods get 404 and 405.
	const httpStatus = status === 401 || status === 404 || status === 405 ? status : 400;
	return c.json({ error: status, message }, httpStatus);
}

/** Logs the store's cause or, of another exception, all but the message, which may quote a plant. */
function log(status: number, exception: Error, c: Context) {
	const ray = c.req.header("CF-Ray");
	const details =
		exception instanceof StoreException
			? exception.cause
			: { cause: exception.name, stack: framesOf(exception) };
	console.error(JSON.stringify(Object.assign({ error: status, ray }, details)));
}

/** The frames of an exception's stack, without the heading, which repeats the message. */
function framesOf(exception: Error): string {
	const heading = `${exception}\n`;
	const { stack = "" } = exception;
	return stack.startsWith(heading) ? stack.slice(heading.length) : "";
}
