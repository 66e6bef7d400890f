// A request's body as exact JSON: no id rounded through a double, no byte replaced on the way.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/** The largest body that is read, in bytes: 1 MiB. */
const LIMIT = 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Makes `c.req.json()`, which zValidator asks, answer the body with its `id` as an exact bigint.
 * Hono's own goes through `JSON.parse` alone, which rounds integers above 2^53.
 *
 * @throws HTTPException 415 for a media type other than application/json, 413 for more than 1 MiB,
 * 400 for what broke off, is not UTF-8 or not JSON (RFC 8259), 422 for JSON too deeply nested to walk
 */
export const exactJson: MiddlewareHandler = async (c, next) => {
	const mediaType = c.req.header("Content-Type")?.split(";", 1)[0]?.trim();
	if (mediaType?.toLowerCase() !== "application/json") {
		throw new HTTPException(415, {
			message: "Send JSON, with the header Content-Type: application/json.",
		});
	}
	const json = parse(decode(await read(c.req.raw)));
	// As with Hono's own json(), the caller says what type it expects; zValidator expects any.
	c.req.json = async <T>() => json as T;
	return next();
};

/**
 * Reads a body of at most LIMIT bytes. A Content-Length is taken at its word: the runtime holds the body to it.
 * Hono's bodyLimit costs 0.2 KiB and 2 % of a request more, since the body is read here anyway.
 */
async function read(request: Request): Promise<Uint8Array> {
	// NaN without a Content-Length, which is neither within the limit nor over it.
	const length = Number.parseInt(request.headers.get("Content-Length") ?? "", 10);
	if (length > LIMIT) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		if (length <= LIMIT) return await request.bytes();
		// Leaving the loop cancels the clone, so that nothing beyond the limit is read. The request's own
		// body stays unused, which wrangler dev asks for: it would answer 500 for one that is half read.
		for await (const chunk of request.clone().body ?? []) {
			size += chunk.length;
			if (size > LIMIT) break;
			chunks.push(chunk);
		}
	} catch {
		throw new HTTPException(400, { message: "Send the whole body: this one broke off." });
	}
	if (size > LIMIT) throw tooLarge();
	return new Blob(chunks).bytes();
}

const tooLarge = () =>
	new HTTPException(413, { message: `Send a body of at most ${LIMIT} bytes (1 MiB).` });

function decode(bytes: Uint8Array): string {
	try {
		return utf8.decode(bytes);
	} catch {
		throw new HTTPException(400, {
			message: "Encode the body as UTF-8: some of its bytes are not.",
		});
	}
}

function parse(text: string): unknown {
	try {
		const json = JSON.parse(text, ROUNDED.test(text) ? exactId : undefined);
		if (typeof json?.id === "number" && Number.isInteger(json.id)) json.id = BigInt(json.id);
		return json;
	} catch (error) {
		// The reviver walks the value recursively, so nesting has a limit (RFC 8259, section 9).
		if (error instanceof RangeError) {
			throw new HTTPException(422, {
				message: "body: must not be nested thousands of levels deep",
			});
		}
		throw new HTTPException(400, {
			message: 'Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.',
		});
	}
}

/** Finds every text with a number that a double may not hold: of 16 digits, with a fraction or an exponent. */
const ROUNDED = /\d{16}|\d[.eE]/;

/**
 * A reviver for JSON.parse that makes each `id` the exact integer its text stands for, in whatever
 * notation: a bigint, NaN for a fraction, and the double where it is far outside int64.
 */
function exactId(key: string, value: unknown, { source }: { source: string }): unknown {
	if (key !== "id" || typeof value !== "number") return value;
	// The double tells fractions and magnitude without writing out 1e1000000000.
	if (!Number.isInteger(value) || Math.abs(value) > 2 ** 63) return value;
	const [mantissa = "", exponent = "0"] = source.split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = whole + fraction;
	// A double of 0 may be 0e999999999, or 1e-400, which is a fraction.
	if (value === 0) return /[1-9]/.test(digits) ? Number.NaN : 0n;
	const point = whole.length + Number(exponent);
	if (/[1-9]/.test(digits.slice(point))) return Number.NaN;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}

declare global {
	interface JSON {
		/** With the reviver's third argument, which TypeScript does not know yet (ES2026). */
		parse(text: string, reviver: typeof exactId | undefined): { id?: unknown } | null;
	}
}
