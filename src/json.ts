// JSON with exact ids: JSON.parse alone rounds integers above 2^53.

/**
 * Parses a JSON text (RFC 8259) as JSON.parse does, but keeps the `id` of an object at the top level
 * exact: an integer in int64, in any notation, becomes a bigint, and any other number a value that zod refuses.
 *
 * @throws SyntaxError if the text is not well-formed
 */
export function parseExact(text: string): unknown {
	const json: { id?: unknown } | null = JSON.parse(text);
	if (typeof json?.id === "number") json.id = exactId(json.id, text);
	return json;
}

/** Matches a text with a number that a double might round: one with 16 digits, a fraction or an exponent. */
const MAY_BE_ROUNDED = /\d{16}|\d[.eE]/;

/** The exact `id` in a JSON text, given the double that JSON.parse returned for it. */
function exactId(id: number, text: string): bigint | number {
	// If the double is a fraction or Infinity, the number is not an integer in int64 either: 1e1000000000 ends here.
	if (!Number.isInteger(id)) return id;
	if (!MAY_BE_ROUNDED.test(text)) return BigInt(id);
	const [mantissa = "", exponent = "0"] = sourceOfId(text).split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = whole + fraction;
	// A minus sign is a character of whole and of digits, so that point counts it, too.
	// If the double is 0, the exponent does not matter: 0e999999999 is 0, and 1e-400 a fraction.
	const point = id === 0 ? 0 : whole.length + Number(exponent);
	if (/[1-9]/.test(digits.slice(point))) return Number.NaN;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}

/** Matches each number and each string of a well-formed JSON text, and captures the strings. */
const STRING_OR_NUMBER = /("[^"\\]*(?:\\.[^"\\]*)*")|-?\d[\d.eE+-]*/g;

/**
 * Returns the characters of the number that JSON.parse finds as `id`: parses the text again, with each number in quotes.
 * (A reviver gets them, too, but JSON.parse with a reviver fails on deep nesting.)
 */
function sourceOfId(text: string): string {
	const quoted = text.replace(STRING_OR_NUMBER, (match, string) => string ?? `"${match}"`);
	return JSON.parse(quoted).id;
}
