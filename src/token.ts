// The bearer token of a request, compared with the secret ACCESS_TOKEN.
import type { Context } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { HTTPException } from "hono/http-exception";

const CHALLENGE = 'Bearer realm="plant-store"';
const encoder = new TextEncoder();

/**
 * Lets a request through if it has an accepted bearer token, which is a token68 (RFC 6750, section 2.1).
 * The scheme's name may be in any case (RFC 9110, section 11.1).
 *
 * @throws HTTPException 401, with the challenge on the response (RFC 6750, section 3)
 */
export const bearerToken = bearerAuth<{ Bindings: Env }>({
	verifyToken: (token, c) => isAccepted(token, c.env.ACCESS_TOKEN),
	noAuthenticationHeader: { message: askForToken },
	// Without this, bearerAuth would answer 400.
	invalidAuthenticationHeader: { message: askForToken },
	invalidToken: { message: refuseToken },
});

function askForToken(c: Context): never {
	const message = "Send a bearer token, with the header Authorization: Bearer <ACCESS_TOKEN>.";
	c.header("WWW-Authenticate", CHALLENGE);
	throw new HTTPException(401, { message });
}

function refuseToken(c: Context): never {
	const message = "Send a different bearer token: this one is not accepted.";
	c.header("WWW-Authenticate", `${CHALLENGE}, error="invalid_token"`);
	throw new HTTPException(401, { message });
}

/**
 * Whether a token is one of those in a secret: one, or several separated by commas, with or without white
 * space around them. The time to refuse a token depends only on the lengths. The secret is split for each
 * request: if it were kept, an isolate that outlives a change of the secret would accept the old token.
 */
function isAccepted(token: string, secret: string | undefined): boolean {
	const sent = encoder.encode(token);
	return (secret ?? "").split(",").some((part) => {
		// Empty if the secret holds no token; a token that was sent is never empty.
		const known = encoder.encode(part.trim());
		return known.length === sent.length && crypto.subtle.timingSafeEqual(known, sent);
	});
}
