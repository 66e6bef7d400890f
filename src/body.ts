// A request's body as exact JSON: no id is rounded, no byte is replaced.
import type { HonoRequest, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type * as z from "zod/mini";
import { parseExact } from "./json.ts";

/** The size of the largest accepted body, in MiB. */
export const MAX_MEBIBYTES = 1;
const MAX_BYTES = MAX_MEBIBYTES * 2 ** 20;

const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Makes `c.req.json()`, which zValidator calls, return the body with its `id` as an exact bigint, and without
 * the members that a schema does not name. Hono's own `json()` rounds integers above 2^53.
 *
 * The middleware throws an HTTPException: 415 for a media type other than application/json or a compressed
 * body, 413 for more than 1 MiB, 400 for a body that was cut off, is not UTF-8 or is not JSON (RFC 8259).
 */
export function exactJson(schema: z.ZodMiniObject): MiddlewareHandler {
	return async (c, next) => {
		if (!APPLICATION_JSON.test(c.req.header("Content-Type") ?? "")) {
			const message = "Send JSON, with the header Content-Type: application/json.";
			throw new HTTPException(415, { message });
		}
		const bytes = await read(c.req).catch((error: unknown) => {
			// Other middleware has read the body through c.req.raw, which keeps nothing: a fault of the service.
			if (error instanceof TypeError) throw error;
			throw new HTTPException(400, { message: "Send the whole body: this one was cut off." });
		});
		if (bytes === undefined || bytes.byteLength > MAX_BYTES) {
			throw new HTTPException(413, { message: `Send a body of at most ${MAX_BYTES} bytes.` });
		}
		const json = parse(bytes, c.req);
		dropUnknownMembers(json, schema);
		// Like Hono's own json(), this lets the caller choose the type; zValidator then checks the value.
		c.req.json = async <T>() => json as T;
		await next();
	};
}

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
	let message = "Send the body as UTF-8: some of its bytes are not UTF-8.";
	try {
		const text = utf8.decode(bytes);
		message = 'Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.';
		return parseExact(text);
	} catch {
		// Checked only now: some clients name a coding and send plain JSON.
		const coding = request.header("Content-Encoding") ?? "identity";
		if (/^(identity)?$/i.test(coding)) throw new HTTPException(400, { message });
		throw new HTTPException(415, { message: "Send the body without Content-Encoding." });
	}
}

/**
 * Deletes the members of a JSON object that a schema does not name. Hono's validator would hold them until the
 * answer, and 1 MiB of `[[],[],…` takes 15 MiB: while KV is slow, a few such bodies would end the isolate.
 */
function dropUnknownMembers(json: unknown, { shape }: z.ZodMiniObject) {
	if (typeof json !== "object" || json === null || Array.isArray(json)) return;
	for (const member of Object.keys(json)) {
		if (!Object.hasOwn(shape, member)) Reflect.deleteProperty(json, member);
	}
}
