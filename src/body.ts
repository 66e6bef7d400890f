// A request's body as bytes: its media type, coding and size are checked; src/json.ts parses it.
// zValidator reads a body only through c.req.json(), so that method is made to return the bytes.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const MAX_BYTES = 2 ** 20;
// Parameters are ignored: JSON defines none (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;
const NO_CODING = /^(?:identity)?$/i;

/**
 * Makes `c.req.json()` return the bytes of the body, as an ArrayBuffer. Hono's own `json()` would
 * round ids above 2^53, and replace bytes that are not UTF-8 with U+FFFD.
 *
 * @throws HTTPException 415 if the media type is not application/json, or the body has a content
 * coding (RFC 9110, section 15.5.16), 413 if it has more than 1 MiB, 400 if it was cut off
 */
export const acceptBody: MiddlewareHandler = async (c, next) => {
	if (!APPLICATION_JSON.test(c.req.header("Content-Type") ?? "")) {
		const message = "Send JSON, with one Content-Type header: application/json.";
		throw new HTTPException(415, { message });
	}
	if (!NO_CODING.test(c.req.header("Content-Encoding") ?? "")) {
		const message = "Send the body uncompressed, without the header Content-Encoding.";
		throw new HTTPException(415, { message });
	}
	const bytes = await read(c.req.raw).catch(() => {
		throw new HTTPException(400, { message: "Send the whole body: this one was cut off." });
	});
	if (!bytes) {
		throw new HTTPException(413, { message: `Send a body of at most ${MAX_BYTES} bytes.` });
	}
	// The caller chooses T, as with Hono's json().
	c.req.json = async <T>() => bytes as T;
	await next();
};

/** Returns the bytes of a body, or undefined if there are more than the limit. */
async function read(request: Request): Promise<ArrayBuffer | undefined> {
	const length = request.headers.get("Content-Length");
	// The runtime enforces the length that a client declares.
	const isOver = length ? Number(length) > MAX_BYTES : await isOverLimit(request.clone());
	return isOver ? undefined : request.arrayBuffer();
}

/**
 * Whether a body of unknown length is over the limit. Reads from a clone: wrangler dev would answer
 * 500 if the body itself were read in part, as Hono's bodyLimit does.
 */
async function isOverLimit(clone: Request): Promise<boolean> {
	const reader = clone.body?.getReader({ mode: "byob" });
	// One read up to the limit: reading many small chunks one by one would take seconds.
	const start = await reader?.readAtLeast(MAX_BYTES + 1, new Uint8Array(MAX_BYTES + 1));
	return start?.value?.byteLength === MAX_BYTES + 1;
}
