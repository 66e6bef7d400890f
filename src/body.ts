// Reads a request's body as JSON, after checking its media type, coding and size.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { parseJson } from "./json.ts";
import { MAX_BODY_BYTES } from "./plant.ts";

// Parameters are ignored: JSON defines none (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

/**
 * Reads the body, and makes `c.req.json()` return its JSON with an exact `id`, as from parseJson.
 *
 * @throws HTTPException 415 if the media type is not application/json, or the body has a content
 * coding (RFC 9110, section 15.5.16), 413 if it has more than MAX_BODY_BYTES, 400 if it was cut off,
 * is not UTF-8, is not JSON, or is nested too deeply
 */
export const readJson: MiddlewareHandler = async (c, next) => {
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
	const isTooLong = length
		? Number(length) > MAX_BODY_BYTES
		: await hasMoreThan(MAX_BODY_BYTES, c.req.raw.clone()).catch(throwReadFailure);
	if (isTooLong) {
		throw new HTTPException(413, { message: `Send a body of at most ${MAX_BODY_BYTES} bytes.` });
	}
	const bytes = await c.req.arrayBuffer().catch(throwReadFailure);
	const json = parseJson(bytes);
	// zValidator calls this. Hono's own would round the id. Like this one, it takes T on trust.
	c.req.json = async <T>() => json as T;
	await next();
};

/** Throws 400, because the body was cut off. A TypeError is a bug, and is thrown again. */
function throwReadFailure(exception: unknown): never {
	if (exception instanceof TypeError) throw exception;
	throw new HTTPException(400, { message: "Send the whole body: this one was cut off." });
}

/**
 * Whether a body of unknown length has more bytes than this. It reads a clone: if only a part of the
 * request's own body is read, and the body is large, wrangler dev often responds with 500. (So Hono's
 * bodyLimit is not used.)
 */
async function hasMoreThan(bytes: number, clone: Request): Promise<boolean> {
	if (!clone.body) return false;
	const reader = clone.body.getReader({ mode: "byob" });
	// One read up to the limit: reading many small chunks one by one would take seconds.
	const start = await reader.readAtLeast(bytes + 1, new Uint8Array(bytes + 1));
	return start.value?.byteLength === bytes + 1;
}
