// From bytes to JSON with an exact id: JSON.parse alone rounds integers above 2^53.
import { HTTPException } from "hono/http-exception";

// The types require `ignoreBOM`. With false, a byte order mark is removed (RFC 8259, section 8.1).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Turns the bytes of a JSON text (RFC 8259) into its value, as JSON.parse does, but keeps each `id`
 * that is a number exact: an integer in any notation becomes a bigint, and any other number is left
 * out. At least a thousand levels of nesting are accepted (RFC 8259, section 9).
 *
 * @throws HTTPException 400 if the bytes are not UTF-8, are not JSON, or are nested too deeply
 */
export function parseJson(bytes: ArrayBuffer): unknown {
	const text = decode(bytes);
	try {
		return JSON.parse(text, withExactId);
	} catch (exception) {
		if (exception instanceof SyntaxError) {
			throw badRequest('Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.');
		}
		// No stack is left: with a reviver, JSON.parse calls itself for each level.
		if (exception instanceof RangeError) {
			throw badRequest("Send JSON with less nesting: this has too many levels.");
		}
		throw exception;
	}
}

function decode(bytes: ArrayBuffer): string {
	try {
		return utf8.decode(bytes);
	} catch {
		throw badRequest("Send the body as UTF-8: some of its bytes are not UTF-8.");
	}
}

function badRequest(message: string): HTTPException {
	return new HTTPException(400, { message });
}

const NOT_ZERO = /[1-9]/;

/**
 * A reviver for JSON.parse, which turns a number named `id` into a bigint, or leaves it out. In
 * -12.50e1, the digits are -1250, and the exponent moves the point from after -12 to after -125. Only
 * a 0 follows the point there, so the integer is -125.
 *
 * @param context its `source` has the characters of a number. (TypeScript doesn't know it yet.)
 * @throws TypeError if the engine gives no source
 */
function withExactId(key: string, value: unknown, context?: { source: string }): unknown {
	if (key !== "id" || typeof value !== "number") return value;
	if (!context) throw new TypeError("JSON.parse gives a reviver no source.");
	// A fraction, or Infinity: JSON.parse returns that for 1e999, which no double can hold.
	if (!Number.isInteger(value)) return undefined;
	const [mantissa = "", exponent = "0"] = context.source.split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = whole + fraction;
	// Zero may have any exponent, but 0e999999999 must not get 999999999 zeros below.
	if (!NOT_ZERO.test(digits)) return 0n;
	// At least 0, since slice() would count from the end.
	const point = Math.max(whole.length + Number(exponent), 0);
	if (NOT_ZERO.test(digits.slice(point))) return undefined;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}
