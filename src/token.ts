// The bearer token of a request, compared with the secret ACCESS_TOKEN.
import { bearerAuth } from "hono/bearer-auth";
import type { ErrorBody } from "./error.ts";

const CHALLENGE = 'Bearer realm="plant-store"';

const askForToken = {
	wwwAuthenticateHeader: CHALLENGE,
	message: () =>
		unauthorized("Send a bearer token, with the header Authorization: Bearer <token>."),
};

const encoder = new TextEncoder();

/**
 * Lets a request through if it has an accepted bearer token, a b64token (RFC 6750, section 2.1).
 * The scheme's name may be in any case (RFC 9110, section 11.1).
 *
 * @throws HTTPException 401, whose response has the challenge (RFC 6750, section 3)
 */
export const checkBearerToken = bearerAuth<{ Bindings: Env }>({
	verifyToken: (token, c) => isAccepted(token, c.env.ACCESS_TOKEN),
	noAuthenticationHeader: askForToken,
	// bearerAuth's own answer to a malformed header would be a 400.
	invalidAuthenticationHeader: askForToken,
	invalidToken: {
		wwwAuthenticateHeader: `${CHALLENGE}, error="invalid_token"`,
		message: () => unauthorized("Send a different bearer token: this one is not accepted."),
	},
});

/** An Error with 401. (Given a string, bearerAuth would answer a malformed header with 400.) */
function unauthorized(message: string): Response {
	const body: ErrorBody = { error: 401, message };
	return Response.json(body, { status: 401 });
}

/**
 * Whether a token, which is not empty, is in a secret: one token, or several separated by commas,
 * with or without spaces. The time to refuse a token depends only on the lengths.
 */
function isAccepted(token: string, secret: string | undefined): boolean {
	const sent = encoder.encode(token);
	return (secret ?? "").split(",").some((part) => {
		const known = encoder.encode(part.trim());
		const isSameLength = known.length === sent.length;
		// If the lengths differ, what was sent is compared with itself, which takes as long.
		return crypto.subtle.timingSafeEqual(isSameLength ? known : sent, sent) && isSameLength;
	});
}
