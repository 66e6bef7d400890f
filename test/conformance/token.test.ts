// The bearer token, and the challenge if it is missing or not accepted.
import { describe, expect, it } from "vitest";
import { expectError, expectPlant } from "../support/responses.ts";
import { newPlant, post, request, token } from "./client.ts";

const type = { "Content-Type": "application/json" };

it.each(["Bearer", "bearer"])("the scheme %s with the token is accepted", async (scheme) => {
	const response = await post(newPlant(), { Authorization: `${scheme} ${token}` });
	await expectPlant(response, { name: "Monstera" });
});

describe("a request without a well-formed bearer token is 401, and the challenge has no error", () => {
	const missing = /^Send a bearer token, with the header Authorization: Bearer <token>\.$/;
	const malformed =
		/^Send the header Authorization: Bearer <token> once, .+ A token has only A-Z, a-z, 0-9, - \. _ ~ \+ \/ and, at its end, =\. /;
	it.each<[string, RegExp, Record<string, string>]>([
		["no Authorization", missing, {}],
		["another scheme", malformed, { Authorization: `Basic ${btoa(`plants:${token}`)}` }],
		["the token alone", malformed, { Authorization: token }],
		["a scheme without a token", malformed, { Authorization: "Bearer" }],
		["the scheme twice", malformed, { Authorization: `Bearer Bearer ${token}` }],
		["the header twice", malformed, { Authorization: `Bearer ${token}, Bearer ${token}` }],
		["quotes around the token", malformed, { Authorization: `Bearer "${token}"` }],
		["a word after the token", malformed, { Authorization: `Bearer ${token} plants` }],
		["a character that no token has", malformed, { Authorization: `Bearer ${token}!` }],
		["an equals sign inside the token", malformed, { Authorization: `Bearer x=${token}` }],
	])("%s", async (_, message, authorization) => {
		const headers = { ...type, ...authorization };
		const response = await request("/plants", { method: "POST", headers, body: newPlant() });
		await expectError(response, 401, message);
		expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="plant-store"');
	});
});

describe("a request with another bearer token is 401, and the challenge says invalid_token", () => {
	it.each([
		["the token without its last character", token.slice(0, -1)],
		["one more character before the token", `x${token}`],
	])("%s", async (_, other) => {
		const response = await post(newPlant(), { Authorization: `Bearer ${other}` });
		await expectError(response, 401, /^Send a different bearer token: this one is not accepted\.$/);
		const challenge = 'Bearer realm="plant-store", error="invalid_token"';
		expect(response.headers.get("WWW-Authenticate")).toBe(challenge);
	});
});
