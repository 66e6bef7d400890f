// From bytes to JSON with an exact id: JSON.parse alone rounds integers above 2^53.
import { HTTPException } from "hono/http-exception";

// The types require ignoreBOM. Its default, false, removes a byte order mark (RFC 8259, section 8.1).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Turns the bytes of a JSON text (RFC 8259) into its value, as JSON.parse does, but each numeric `id`
 * stays exact: an integer in any notation becomes a bigint, and any other `id` that is a number is left
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

/**
 * A reviver for JSON.parse, which turns a number named `id` into a bigint, or leaves it out.
 *
 * @param context its `source` has the characters of a number. (TypeScript doesn't know it yet.)
 * @throws TypeError if the engine gives no source
 */
function withExactId(key: string, value: unknown, context?: { source: string }): unknown {
	if (key !== "id" || typeof value !== "number") return value;
	if (!context) throw new TypeError("JSON.parse gives a reviver no source.");
	return exactInteger(context.source);
}

/** Returns the exact value of a JSON number if it is an integer: 1.50e1 is 150 * 10^-1. */
function exactInteger(source: string): bigint | undefined {
	const rounded = Number(source);
	// A fraction, or Infinity: no double can hold 1e999.
	if (!Number.isInteger(rounded)) return undefined;
	const [mantissa = "", exponent = "0"] = source.split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = BigInt(whole + fraction);
	// 0e999999999 is 0, and 1e-999999999 a fraction. Their power of ten would be too large to compute.
	if (rounded === 0) return digits === 0n ? digits : undefined;
	const scale = Number(exponent) - fraction.length;
	const power = 10n ** BigInt(Math.abs(scale));
	if (scale >= 0) return digits * power;
	return digits % power === 0n ? digits / power : undefined;
}
