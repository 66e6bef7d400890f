// From bytes to JSON with exact ids: JSON.parse alone rounds integers above 2^53.
import { HTTPException } from "hono/http-exception";
import * as z from "zod/mini";

// `ignoreBOM: false`, which the types demand, drops a byte order mark (RFC 8259, section 8.1).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Turns the bytes of a JSON text (RFC 8259) into its value, as JSON.parse does, but keeps the `id`
 * of an object at the top level exact: an int64 in any notation becomes a bigint, any other number
 * a value that z.int64() refuses. At the start of a pipe, it keeps neither the text nor unknown
 * members in memory while KV is awaited. (A check, because zod would await a transform.)
 *
 * @throws HTTPException 400 if the bytes are not UTF-8, or not JSON
 */
export const exactJson = z.unknown().check(
	z.overwrite((bytes) => {
		// bodyBytes gives an ArrayBuffer, whose type gets lost in c.req.json().
		const text = decode(bytes as ArrayBuffer);
		const json = parse(text);
		if (typeof json?.id === "number") json.id = exactId(json.id, text);
		return json;
	}),
);

function decode(bytes: ArrayBuffer): string {
	try {
		return utf8.decode(bytes);
	} catch {
		const message = "Send the body as UTF-8: some of its bytes are not UTF-8.";
		throw new HTTPException(400, { message });
	}
}

/** Parses any JSON. (The type suits `?.id`, which is undefined for a string or a number, too.) */
function parse(text: string): { id?: unknown } | null {
	try {
		return JSON.parse(text);
	} catch {
		const message = 'Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.';
		throw new HTTPException(400, { message });
	}
}

/**
 * Matches a text with a number that a double might round: one with 16 digits, a fraction or an
 * exponent. It need not be the id: most texts have no match, and a search is cheaper than parsing.
 */
const MAY_BE_ROUNDED = /\d{16}|\d[.eE]/;

/** The exact `id` in a JSON text, given the double that JSON.parse returned for it. */
function exactId(id: number, text: string): bigint | number {
	// A fraction or Infinity as a double is no int64 as a number either: 1e1000000000 ends here.
	if (!Number.isInteger(id)) return id;
	if (!MAY_BE_ROUNDED.test(text)) return BigInt(id);
	// For example, -12.50e1 has the digits "-1250". Its point, after "-12", moves to after "-125".
	const [mantissa = "", exponent = "0"] = sourceOfId(text).split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = whole + fraction;
	// If the double is 0, the exponent does not matter: 0e999999999 is 0, and 1e-400 a fraction.
	const point = id === 0 ? 0 : whole.length + Number(exponent);
	if (/[1-9]/.test(digits.slice(point))) return Number.NaN;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}

/** Matches each number and each string of a well-formed JSON text, and captures the strings. */
const STRING_OR_NUMBER = /("[^"\\]*(?:\\.[^"\\]*)*")|-?\d[\d.eE+-]*/g;

/**
 * Returns the characters of the number that JSON.parse finds as `id`: parses the text again, with
 * each number in quotes. (A reviver gets them, too, but then JSON.parse fails on deep nesting.)
 */
function sourceOfId(text: string): string {
	const quoted = text.replace(STRING_OR_NUMBER, (match, string) => string ?? `"${match}"`);
	return JSON.parse(quoted).id;
}
