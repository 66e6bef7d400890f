// The bearer token of a request, compared with the secret ACCESS_TOKEN.
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const CHALLENGE = 'Bearer realm="plant-store"';
const encoder = new TextEncoder();

/**
 * Lets a request through if it has an accepted bearer token (RFC 6750, section 2.1).
 *
 * ACCESS_TOKEN holds one token, or several separated by commas, with or without white space around
 * them. If it holds no token, nobody gets in. The scheme's name may be in any case (RFC 9110, section 11.1).
 * Hono's bearerAuth would answer a malformed header with 400.
 *
 * @throws HTTPException 401, with the challenge on the response (RFC 6750, section 3)
 */
export const bearerToken: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
	const [, token] = /^Bearer +(.+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
	if (token === undefined) {
		c.header("WWW-Authenticate", CHALLENGE);
		throw new HTTPException(401, {
			message: "Send a bearer token, with the header Authorization: Bearer <ACCESS_TOKEN>.",
		});
	}
	if (!isAccepted(token, c.env.ACCESS_TOKEN)) {
		c.header("WWW-Authenticate", `${CHALLENGE}, error="invalid_token"`);
		throw new HTTPException(401, {
			message: "Send another bearer token: this one is not accepted.",
		});
	}
	await next();
};

/** The secret, which changes only with a deployment, and its tokens: splitting it for each request would cost 3 % of a create. */
let secret: string | undefined;
let accepted: Uint8Array[] = [];

/** Whether a token is one of those in a secret. The time to refuse one depends only on the lengths. */
function isAccepted(token: string, accessToken: string | undefined): boolean {
	if (accessToken !== secret) {
		secret = accessToken;
		accepted = (accessToken ?? "").split(",").map((part) => encoder.encode(part.trim()));
	}
	// The token of a request is never empty, so a blank one in ACCESS_TOKEN lets nobody in.
	const sent = encoder.encode(token);
	return accepted.some(
		(known) => known.length === sent.length && crypto.subtle.timingSafeEqual(known, sent),
	);
}
