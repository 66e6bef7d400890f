// From bytes to JSON with an exact id: JSON.parse alone rounds integers above 2^53.
import { HTTPException } from "hono/http-exception";
import * as z from "zod/mini";

// `ignoreBOM: false`, which the types demand, drops a byte order mark (RFC 8259, section 8.1).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Turns the bytes of a JSON text (RFC 8259) into its value, as JSON.parse does, but keeps the `id`
 * of an object at the top level exact: an integer in any notation becomes a bigint. Any other
 * number stays a number, which z.int64() refuses.
 *
 * @throws HTTPException 400 if the bytes are not UTF-8, or not JSON
 */
export const JsonWithExactId = z.transform((bytes: ArrayBuffer) => {
	const text = decode(bytes);
	const json = parse(text);
	if (typeof json?.id === "number") json.id = exactId(json.id, text);
	return json;
});

function decode(bytes: ArrayBuffer): string {
	try {
		return utf8.decode(bytes);
	} catch {
		const message = "Send the body as UTF-8: some of its bytes are not UTF-8.";
		throw new HTTPException(400, { message });
	}
}

/** Parses any JSON. Every value but null can be asked for its `id`. */
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
 * exponent. A match elsewhere than in the id only costs a second parse. Most texts have no match,
 * and a search is cheaper than parsing.
 */
const MAY_BE_ROUNDED = /\d{16}|\d[.eE]/;

/** Matches a JSON number, and captures its parts before and after the point, and its exponent. */
const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/i;

const NOT_ZERO = /[1-9]/;

/**
 * The exact `id` in a JSON text, given the double that JSON.parse returned for it; that double if
 * the id is not an integer.
 */
function exactId(id: number, text: string): bigint | number {
	if (!Number.isInteger(id)) return id;
	if (!MAY_BE_ROUNDED.test(text)) return BigInt(id);
	const [, whole, fraction = "", exponent = "0"] = NUMBER.exec(sourceOfId(text)) ?? [];
	// Only if STRING_OR_NUMBER has a bug: better a 500 than a wrong id.
	if (!whole) throw new Error("The second parse found another id.");
	const digits = whole + fraction;
	// If the double is 0, the exponent may be of any size: 0e999999999 is 0, and 1e-400 a fraction.
	if (id === 0) return NOT_ZERO.test(digits) ? id : 0n;
	// The exponent moves the point: in -12.50e1, from after "-12" to after "-125".
	const point = whole.length + Number(exponent);
	if (NOT_ZERO.test(digits.slice(point))) return id;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}

/** Matches each number and each string of a well-formed JSON text, and captures the strings. */
const STRING_OR_NUMBER = /("[^"\\]*(?:\\.[^"\\]*)*")|-?\d[\d.eE+-]*/g;

/**
 * Returns the characters of the number that JSON.parse finds as `id`: parses the text again, with
 * each number in quotes.
 */
function sourceOfId(text: string): string {
	const quoted = text.replace(STRING_OR_NUMBER, (match, string) => string ?? `"${match}"`);
	return JSON.parse(quoted).id;
}
