// The bearer token of a request, compared with the tokens of the clients.
import type { Context } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { HTTPException } from "hono/http-exception";

/** The bindings of the app and, once a token is accepted, the name of the secret that has it. */
export type AppEnv = { Bindings: Env; Variables: { client: string | undefined } };

/** Matches the names of the secrets that have tokens. (A plain-text variable would match, too.) */
const TOKEN_NAME = /^ACCESS_TOKEN(?:_|$)/;

const encoder = new TextEncoder();

/**
 * Lets a request through if it has an accepted bearer token, a b64token (RFC 6750, section 2.1), and
 * sets `client`. The scheme's name may be in any case (RFC 9110, section 11.1).
 *
 * @throws HTTPException 401, after it has set the challenge (RFC 6750, section 3)
 */
export const checkBearerToken = bearerAuth<AppEnv>({
	verifyToken: (token, c) => {
		const client = findClient(token, c.env);
		c.set("client", client);
		return client !== undefined;
	},
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
 * Returns the name of the first secret that has this token. White space around a secret's value is
 * ignored. The secrets are read for each request, because they can change while a Worker runs.
 */
function findClient(token: string, env: Env): string | undefined {
	const sent = encoder.encode(token);
	const bindings: [string, unknown][] = Object.entries(env);
	for (const [name, value] of bindings) {
		if (!TOKEN_NAME.test(name) || typeof value !== "string") continue;
		const accepted = encoder.encode(value.trim());
		if (accepted.length !== sent.length) continue;
		if (crypto.subtle.timingSafeEqual(accepted, sent)) return name;
	}
	return undefined;
}
