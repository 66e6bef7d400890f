// Exceptions become Errors for the client, and lines in the log.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { StoreException } from "./store.ts";
import type { AppEnv } from "./token.ts";

/** Matches a line of a stack that has a place in the code, as V8 writes it. */
const FRAME = /^ {4}at .*:\d+:\d+\)?$/;

/**
 * Answers an exception with an Error. For an HTTPException, `error` is its status and `message` its
 * message. Any other exception is a bug: its `error` is 500.
 */
export function respondWithError(exception: Error, c: Context<AppEnv>): Response {
	const bugMessage =
		"The service failed. Send the request again; if it fails again, tell the operator.";
	const { status, message } =
		exception instanceof HTTPException ? exception : { status: 500, message: bugMessage };
	log(status, exception, c);
	if (status === 503) c.header("Retry-After", "10");
	// The operation fails only with 400 or 401; other paths and methods get 404 and 405.
	const httpStatus = status === 401 || status === 404 || status === 405 ? status : 400;
	return c.json({ error: status, message }, httpStatus);
}

/**
 * Writes a line in the log: the number, whose request it was, and what failed. Below 500, only a request
 * with an accepted token gets a line. It has the message of the response, which quotes no plant.
 */
function log(status: number, exception: Error, c: Context<AppEnv>) {
	const line = { error: status, client: c.var.client, ray: c.req.header("CF-Ray") };
	if (status >= 500) {
		console.error(JSON.stringify({ ...line, ...detailsOf(exception) }));
	} else if (line.client) {
		console.warn(JSON.stringify({ ...line, message: exception.message }));
	}
}

/** What the log has of an exception. Its message is left out, because it may quote a plant. */
function detailsOf(exception: Error): object {
	if (exception instanceof StoreException) return exception.details;
	const { name, message, stack = "" } = exception;
	const lines = stack.replace(message, "").split("\n");
	return { exception: name, stack: lines.filter((line) => FRAME.test(line)).join("\n") };
}
