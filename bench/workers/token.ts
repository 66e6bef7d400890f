// Compares a token as a careful user would: in a time that depends only on the lengths, and without a hash.
import { env } from "cloudflare:workers";

const encoder = new TextEncoder();
const known = encoder.encode(env.ACCESS_TOKEN);

/** Whether a text is the bearer token. */
export function isToken(text: string): boolean {
	const sent = encoder.encode(text);
	return sent.length === known.length && crypto.subtle.timingSafeEqual(sent, known);
}
