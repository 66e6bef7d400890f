// Who gets in: the bearer token of a request against the secret ACCESS_TOKEN.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const CHALLENGE = 'Bearer realm="plant-store"';
const encoder = new TextEncoder();

/** The secret last seen, which changes only with a deployment. */
let secret: string | undefined;
/** The tokens in it, each with a buffer of the same length for the token of a request. */
let tokens: [known: Uint8Array, sent: Uint8Array][] = [];

/**
 * Lets a request through that carries an accepted bearer token (RFC 6750, section 2.1).
 *
 * ACCESS_TOKEN holds one token, or several separated by commas; white space around them does not
 * count. Without one, nobody gets in. The scheme's name is matched in any case (RFC 9110, 11.1).
 * Hono's bearerAuth would answer a malformed header with 400, and add 0.9 KiB and 2 % of a request's cost.
 *
 * @throws HTTPException 401, with the challenge on the response (RFC 6750, section 3)
 */
export const bearerToken: MiddlewareHandler<{ Bindings: Env }> = (c, next) => {
	const credentials = c.req.header("Authorization") ?? "";
	// A token has at least one character, so that a blank one in ACCESS_TOKEN lets nobody in.
	const token = credentials.replace(/^Bearer +(?=.)/i, "");
	const isBearer = token !== credentials;
	if (isBearer && isAccepted(token, c.env.ACCESS_TOKEN)) return next();
	c.header("WWW-Authenticate", isBearer ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE);
	const message = isBearer
		? "Send another bearer token: this one is not accepted."
		: "Send a bearer token, with the header Authorization: Bearer <ACCESS_TOKEN>.";
	throw new HTTPException(401, { message });
};

/** Compares a token with those in a secret, each in a time that depends on the lengths alone. */
function isAccepted(token: string, accessToken: string | undefined): boolean {
	if (secret !== accessToken) {
		secret = accessToken;
		tokens = (secret ?? "").split(",").map((part) => {
			const known = encoder.encode(part.trim());
			return [known, new Uint8Array(known.length)];
		});
	}
	for (const [known, sent] of tokens) {
		const { read, written } = encoder.encodeInto(token, sent);
		// A shorter token leaves bytes of an earlier one in the buffer, and a longer one is cut off.
		const fits = read === token.length && written === sent.length;
		if (fits && crypto.subtle.timingSafeEqual(known, sent)) return true;
	}
	return false;
}
