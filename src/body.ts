// A request's body as exact JSON: no id is rounded, no byte is replaced.
import type { HonoRequest, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { parseExact } from "./json.ts";

/** The largest accepted body, in bytes: 1 MiB. */
const MAX_BYTES = 1024 * 1024;

const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Makes `c.req.json()`, which zValidator calls, return the body with its `id` as an exact bigint.
 * Hono's own `json()` rounds integers above 2^53.
 *
 * @throws HTTPException 415 for a media type other than application/json or a compressed body,
 * 413 for more than 1 MiB, 400 for a body that was cut off, is not UTF-8 or is not JSON (RFC 8259)
 */
export const exactJson: MiddlewareHandler = async (c, next) => {
	if (!APPLICATION_JSON.test(c.req.header("Content-Type") ?? "")) {
		throw new HTTPException(415, {
			message: "Send JSON, with the header Content-Type: application/json.",
		});
	}
	const bytes = await read(c.req).catch(() => {
		throw new HTTPException(400, { message: "Send the whole body: this one was cut off." });
	});
	if (bytes === undefined || bytes.byteLength > MAX_BYTES) {
		throw new HTTPException(413, {
			message: `Send a body of at most ${MAX_BYTES} bytes (1 MiB).`,
		});
	}
	const json = parse(bytes, c.req);
	// Like Hono's own json(), this lets the caller choose the type; zValidator then checks the value.
	c.req.json = async <T>() => json as T;
	await next();
};

/**
 * Returns the bytes of a body, even if other middleware has read it, or undefined if it is over the limit.
 * Hono's bodyLimit would answer 500 if a body without a Content-Length is cut off.
 */
async function read(request: HonoRequest): Promise<ArrayBuffer | undefined> {
	const length = request.header("Content-Length") ?? "";
	// The runtime enforces a declared length.
	const isOver = /^\d+$/.test(length) ? Number(length) > MAX_BYTES : await isOverLimit(request.raw);
	return isOver ? undefined : request.arrayBuffer();
}

/** Whether a body of unknown length is over the limit; false if other middleware has already read it. */
async function isOverLimit(request: Request): Promise<boolean> {
	if (request.bodyUsed) return false;
	let size = 0;
	// Leaving the loop cancels the clone, so that nothing beyond the limit is read. The request's own
	// body stays untouched: wrangler dev would answer 500 for a half-read body.
	for await (const chunk of request.clone().body ?? []) {
		size += chunk.length;
		if (size > MAX_BYTES) return true;
	}
	return false;
}

function parse(bytes: ArrayBuffer, request: HonoRequest): unknown {
	let problem = "Send the body as UTF-8: some of its bytes are not UTF-8.";
	try {
		const text = utf8.decode(bytes);
		problem = 'Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.';
		return parseExact(text);
	} catch {
		// Checked only now: some clients name a coding and send plain JSON.
		throw request.header("Content-Encoding") === undefined
			? new HTTPException(400, { message: problem })
			: new HTTPException(415, { message: "Send the body without Content-Encoding." });
	}
}
