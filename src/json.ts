// From bytes to JSON with an exact id: JSON.parse alone rounds integers above 2^53.
import { HTTPException } from "hono/http-exception";

// The types require `ignoreBOM`. With false, a byte order mark is removed (RFC 8259, section 8.1).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Turns the bytes of a JSON text (RFC 8259) into its value, as JSON.parse does, but keeps the `id`
 * of an object at the top level exact: an integer in any notation becomes a bigint, and any other
 * number undefined.
 *
 * @throws HTTPException 400 if the bytes are not UTF-8, or not JSON
 */
export function parseJson(bytes: ArrayBuffer): unknown {
	const text = decode(bytes);
	const json = parse(text);
	if (json instanceof Object && "id" in json && typeof json.id === "number") {
		json.id = exactId(json.id, text);
	}
	return json;
}

function decode(bytes: ArrayBuffer): string {
	try {
		return utf8.decode(bytes);
	} catch {
		const message = "Send the body as UTF-8: some of its bytes are not UTF-8.";
		throw new HTTPException(400, { message });
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		const message = 'Send well-formed JSON, such as {"id": 1, "name": "Monstera"}.';
		throw new HTTPException(400, { message });
	}
}

/**
 * Matches a text with a number that a double might round: with 16 digits, a fraction or an
 * exponent. A match elsewhere than in the id only costs a second parse.
 */
const MAY_BE_ROUNDED = /\d{16}|\d[.eE]/;

/**
 * Returns the exact `id` in a JSON text, or undefined if it is not an integer. The given `id` is the
 * double that JSON.parse has returned for it.
 */
function exactId(id: number, text: string): bigint | undefined {
	// A fraction, or Infinity: JSON.parse returns that for 1e999, which no double can hold.
	if (!Number.isInteger(id)) return undefined;
	if (!MAY_BE_ROUNDED.test(text)) return BigInt(id);
	return integerOf(idAsWritten(text));
}

/** Matches each string and each number of a well-formed JSON text. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Returns the characters of the number that JSON.parse finds as `id`: parses the text again, with
 * each number in quotes.
 */
function idAsWritten(text: string): string {
	const quoted = text.replace(STRING_OR_NUMBER, (match) =>
		match.startsWith('"') ? match : `"${match}"`,
	);
	return JSON.parse(quoted).id;
}

const NOT_ZERO = /[1-9]/;

/**
 * Returns the integer that a JSON number stands for, or undefined if it has a fraction. In
 * -12.50e1, the digits are -1250, and the exponent moves the point from after -12 to after -125.
 * Only a 0 follows the point there, so the integer is -125.
 */
function integerOf(source: string): bigint | undefined {
	const [mantissa = "", exponent = "0"] = source.split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = whole + fraction;
	// Zero may have any exponent, but 0e999999999 must not get 999999999 zeros below.
	if (!NOT_ZERO.test(digits)) return 0n;
	// At least 0, since slice() would count from the end.
	const point = Math.max(whole.length + Number(exponent), 0);
	if (NOT_ZERO.test(digits.slice(point))) return undefined;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}
