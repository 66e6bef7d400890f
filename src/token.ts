// Who gets in: the bearer token of a request against the secret ACCESS_TOKEN.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const CHALLENGE = 'Bearer realm="plant-store"';
const encoder = new TextEncoder();

/** The secret last seen, which changes only with a deployment, and the tokens in it. */
let secret: string | undefined;
let tokens: Uint8Array[] = [];

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
	const token = /^Bearer +(.+)/i.exec(c.req.header("Authorization") ?? "")?.[1];
	if (token && isAccepted(token, c.env.ACCESS_TOKEN)) return next();
	const [challenge, message] = token
		? [
				`${CHALLENGE}, error="invalid_token"`,
				"Send a bearer token that this store accepts: this one is not.",
			]
		: [CHALLENGE, "Send a bearer token, in the header Authorization: Bearer <ACCESS_TOKEN>."];
	c.header("WWW-Authenticate", challenge);
	throw new HTTPException(401, { message });
};

/** Compares with every token in a secret, each in a time that depends on its length alone. */
function isAccepted(token: string, accessToken: string | undefined): boolean {
	if (secret !== accessToken) {
		secret = accessToken;
		tokens = (secret ?? "").split(",").map((part) => encoder.encode(part.trim()));
	}
	const bytes = encoder.encode(token);
	let found = false;
	for (const known of tokens) {
		if (known.length === bytes.length && crypto.subtle.timingSafeEqual(known, bytes)) found = true;
	}
	return found;
}
