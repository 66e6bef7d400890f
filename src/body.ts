// A request's body as bytes. Its media type, coding and size are checked; nothing is read as text.
import type { HonoRequest, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const MAX_BYTES = 2 ** 20;
// Parameters are ignored: JSON defines none (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;
const NO_CODING = /^(?:identity)?$/i;

/**
 * Makes `c.req.json()`, which zValidator calls, return the bytes of the body, as an ArrayBuffer.
 * Hono's own would round ids above 2^53, and replace bytes that are not UTF-8 with U+FFFD.
 *
 * @throws HTTPException 415 if the media type is not application/json, or the body has a content
 * coding (RFC 9110, section 15.5.16), 413 if it has more than 1 MiB, 400 if it was cut off
 */
export const acceptBody: MiddlewareHandler = async (c, next) => {
	if (!APPLICATION_JSON.test(c.req.header("Content-Type") ?? "")) {
		const message = "Send JSON, with the header Content-Type: application/json.";
		throw new HTTPException(415, { message });
	}
	if (!NO_CODING.test(c.req.header("Content-Encoding") ?? "")) {
		throw new HTTPException(415, { message: "Send the body without Content-Encoding." });
	}
	const bytes = await read(c.req).catch((exception: unknown) => {
		// A mistake in the service, such as middleware that has consumed c.req.raw.
		if (exception instanceof TypeError) throw exception;
		throw new HTTPException(400, { message: "Send the whole body: this one was cut off." });
	});
	if (bytes === undefined || bytes.byteLength > MAX_BYTES) {
		throw new HTTPException(413, { message: `Send a body of at most ${MAX_BYTES} bytes.` });
	}
	// The caller chooses T, as with Hono's json().
	c.req.json = async <T>() => bytes as T;
	await next();
};

/** Returns the bytes of a body, or undefined if it is known to be over the limit. */
async function read(request: HonoRequest): Promise<ArrayBuffer | undefined> {
	const length = request.header("Content-Length");
	// The runtime enforces the length that a client declares.
	const isOver = length ? Number(length) > MAX_BYTES : await isOverLimit(request.raw);
	return isOver ? undefined : request.arrayBuffer();
}

/**
 * Whether a body of unknown length is over the limit. If middleware has already read it, false: its
 * bytes are counted later.
 */
async function isOverLimit(request: Request): Promise<boolean> {
	if (request.bodyUsed) return false;
	// From a clone: wrangler dev would answer 500 if the body itself were read in part.
	const reader = request.clone().body?.getReader({ mode: "byob" });
	// One read up to the limit: reading many small chunks one by one would take seconds.
	const start = await reader?.readAtLeast(MAX_BYTES + 1, new Uint8Array(MAX_BYTES + 1));
	return start?.value?.byteLength === MAX_BYTES + 1;
}
