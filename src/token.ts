// The bearer token of a request, compared with the secret ACCESS_TOKEN.
import type { Context } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { HTTPException } from "hono/http-exception";

const encoder = new TextEncoder();

/**
 * Lets a request through if it has an accepted bearer token, a b64token (RFC 6750, section 2.1).
 * The scheme's name may be in any case (RFC 9110, section 11.1).
 *
 * @throws HTTPException 401, after it has set the challenge (RFC 6750, section 3)
 */
export const checkBearerToken = bearerAuth<{ Bindings: Env }>({
	verifyToken: (token, c) => isAccepted(token, c.env.ACCESS_TOKEN),
	noAuthenticationHeader: unauthorized(
		"Send a bearer token, with the header Authorization: Bearer <token>.",
	),
	invalidAuthenticationHeader: unauthorized(
		"Send the header Authorization: Bearer <token> once, with the token alone and no quotes. A token has only A-Z, a-z, 0-9, - . _ ~ + / and, at its end, =. The header that came does not have this form.",
	),
	invalidToken: unauthorized(
		"Send a different bearer token: this one is not accepted.",
		', error="invalid_token"',
	),
});

/** An option of bearerAuth: throws a 401, with a challenge that has this error. */
function unauthorized(message: string, error = "") {
	return {
		message: (c: Context): never => {
			c.header("WWW-Authenticate", `Bearer realm="plant-store"${error}`);
			throw new HTTPException(401, { message });
		},
	};
}

/**
 * Whether a token is one of those in the secret, which are separated by commas, with or without
 * spaces. bearerAuth passes no empty token. The secret is read at each request, because a running
 * Worker can outlive a change of it.
 */
function isAccepted(token: string, secret = ""): boolean {
	const sent = encoder.encode(token);
	return secret.split(",").some((part) => {
		const accepted = encoder.encode(part.trim());
		if (accepted.length === sent.length) return crypto.subtle.timingSafeEqual(accepted, sent);
		// Of another length: false, after a comparison that takes as much time.
		return !crypto.subtle.timingSafeEqual(sent, sent);
	});
}
