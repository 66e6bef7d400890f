// JSON with exact ids: JSON.parse alone rounds integers above 2^53.

/**
 * Parses a JSON text (RFC 8259) as JSON.parse does, but makes the `id` of an object at the top level
 * exact: a bigint if it is an integer in whatever notation, and a number that is no int64 if not.
 *
 * @throws SyntaxError where the text is not well-formed
 */
export function parseExact(text: string): unknown {
	const json: unknown = JSON.parse(text);
	if (typeof json === "object" && json !== null && "id" in json && typeof json.id === "number") {
		json.id = exactId(json.id, text);
	}
	return json;
}

/** Matches any text with a number that a double may round: one with 16 digits, a fraction or an exponent. */
const ROUNDED = /\d{16}|\d[.eE]/;

/** The exact `id` in a JSON text, of which JSON.parse has made this double. */
function exactId(id: number, text: string): bigint | number {
	// The double reveals fractions and magnitude without writing out 1e1000000000.
	if (!Number.isInteger(id) || Math.abs(id) > 2 ** 63) return id;
	if (!ROUNDED.test(text)) return BigInt(id);
	const [mantissa = "", exponent = "0"] = sourceOfId(text).split(/e/i);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = whole + fraction;
	// A double of 0 may be 0e999999999, or 1e-400, which is a fraction.
	if (id === 0) return /[1-9]/.test(digits) ? Number.NaN : 0n;
	const point = whole.length + Number(exponent);
	if (/[1-9]/.test(digits.slice(point))) return Number.NaN;
	return BigInt(digits.slice(0, point).padEnd(point, "0"));
}

/** Matches each token of a JSON text but commas and colons: a string, a bracket, a number or a literal name. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s,:[\]{}"]+/g;

/**
 * The source text of the top level's last scalar `id`, in well-formed JSON whose top level is an object.
 * A reviver for JSON.parse would be given it, too, but fails on deep nesting, since it recurses.
 */
function sourceOfId(text: string): string {
	let source = "";
	let depth = 0;
	let key: string | undefined;
	for (const [token] of text.matchAll(TOKEN)) {
		if (token === "{" || token === "[") depth++;
		else if (token === "}" || token === "]") {
			if (--depth === 1) key = undefined;
		} else if (depth === 1) {
			// Keys and values take turns.
			if (key === undefined) key = token;
			else {
				if (key === '"id"' || (key.includes("\\") && JSON.parse(key) === "id")) source = token;
				key = undefined;
			}
		}
	}
	return source;
}
