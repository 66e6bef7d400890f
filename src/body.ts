// Reads a request's body as bytes, and checks its media type, coding and size.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const MAX_BYTES = 2 ** 20;
// Parameters are ignored: JSON defines none (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

/**
 * Makes `c.req.json()` return the bytes of the body, as an ArrayBuffer.
 *
 * @throws HTTPException 415 if the media type is not application/json, or the body has a content
 * coding (RFC 9110, section 15.5.16), 413 if it has more than 1 MiB, 400 if it was cut off
 */
export const readBody: MiddlewareHandler = async (c, next) => {
	if (!APPLICATION_JSON.test(c.req.header("Content-Type") ?? "")) {
		const message = "Send JSON, with one Content-Type header: application/json.";
		throw new HTTPException(415, { message });
	}
	const coding = c.req.header("Content-Encoding");
	if (coding && coding.toLowerCase() !== "identity") {
		const message = "Send the body uncompressed, without the header Content-Encoding.";
		throw new HTTPException(415, { message });
	}
	// The runtime lets no body be longer than its Content-Length.
	const length = c.req.header("Content-Length");
	const isOver = length
		? Number(length) > MAX_BYTES
		: await isOverLimit(c.req.raw.clone()).catch(refuseCutOff);
	if (isOver) {
		throw new HTTPException(413, { message: `Send a body of at most ${MAX_BYTES} bytes.` });
	}
	const bytes = await c.req.arrayBuffer().catch(refuseCutOff);
	// Bytes, because zValidator keeps what json() returns until the response, and the parsed value can
	// take forty times the memory. (As with Hono's json(), the caller chooses T.)
	c.req.json = async <T>() => bytes as T;
	await next();
};

/** Throws 400 for a body that was cut off. A TypeError is a bug, and is thrown as it is. */
function refuseCutOff(exception: unknown): never {
	if (exception instanceof TypeError) throw exception;
	throw new HTTPException(400, { message: "Send the whole body: this one was cut off." });
}

/**
 * Whether a body of unknown length is over the limit. Reads from a clone: if the body itself were
 * read in part, as by Hono's bodyLimit, wrangler dev would answer 500.
 */
async function isOverLimit(clone: Request): Promise<boolean> {
	if (!clone.body) return false;
	const reader = clone.body.getReader({ mode: "byob" });
	// One read up to the limit: reading many small chunks one by one would take seconds.
	const start = await reader.readAtLeast(MAX_BYTES + 1, new Uint8Array(MAX_BYTES + 1));
	return start.value?.byteLength === MAX_BYTES + 1;
}
