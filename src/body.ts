// A request's body as exact JSON: no id is rounded, no byte is replaced.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { parseExact } from "./json.ts";

/**
 * The largest body that is accepted, in bytes: 1 MiB. Hono's bodyLimit would add 2 % to a create, since the
 * body is read here anyway.
 */
const MAX_BYTES = 1024 * 1024;

const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Makes `c.req.json()`, which zValidator calls, return the body with its `id` as an exact bigint.
 * Hono's own `json()` rounds integers above 2^53.
 *
 * @throws HTTPException 415 for a media type other than application/json or a compressed body,
 * 413 for more than 1 MiB, 400 for a body that broke off, is not UTF-8 or is not JSON (RFC 8259)
 */
export const exactJson: MiddlewareHandler = async (c, next) => {
	const request = c.req.raw;
	const { headers } = request;
	if (!APPLICATION_JSON.test(headers.get("Content-Type") ?? "")) {
		throw new HTTPException(415, {
			message: "Send JSON, with the header Content-Type: application/json.",
		});
	}
	const declared = declaredLength(headers);
	if (declared !== undefined && declared > MAX_BYTES) throw tooLarge();
	let bytes: ArrayBuffer;
	try {
		bytes = await (declared === undefined ? readChunks(request) : request.arrayBuffer());
	} catch (thrown) {
		if (thrown instanceof HTTPException) throw thrown;
		throw new HTTPException(400, { message: "Send the whole body: this one broke off." });
	}
	const json = parse(bytes, headers);
	// Like Hono's own json(), this lets the caller choose the type; zValidator goes on to check the value.
	c.req.json = async <T>() => json as T;
	await next();
};

/** The length of a body in bytes, where it is declared. The runtime enforces it. */
function declaredLength(headers: Headers): number | undefined {
	const length = headers.get("Content-Length") ?? "";
	return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** Reads a body whose length is not declared. */
async function readChunks(request: Request): Promise<ArrayBuffer> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	// Leaving the loop cancels the clone, so that nothing beyond the limit is read. The request's own
	// body stays untouched: wrangler dev would answer 500 for one that is half read.
	for await (const chunk of request.clone().body ?? []) {
		size += chunk.length;
		if (size > MAX_BYTES) throw tooLarge();
		chunks.push(chunk);
	}
	return new Blob(chunks).arrayBuffer();
}

function tooLarge(): HTTPException {
	return new HTTPException(413, { message: `Send a body of at most ${MAX_BYTES} bytes (1 MiB).` });
}

function parse(bytes: ArrayBuffer, headers: Headers): unknown {
	let problem = "Send the body as UTF-8: some of its bytes are not.";
	try {
		const text = utf8.decode(bytes);
		problem = 'Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.';
		return parseExact(text);
	} catch {
		// Checked only now, so that a body that can be read does not pay for it.
		const compressed = headers.has("Content-Encoding");
		throw compressed
			? new HTTPException(415, { message: "Send the body without Content-Encoding." })
			: new HTTPException(400, { message: problem });
	}
}
