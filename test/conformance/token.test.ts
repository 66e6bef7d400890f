// The bearer token, and the challenge if it is missing or not accepted.

import { describe, expect, it } from "vitest";
import { request, token } from "#service";
import { create, expectError, expectPlant, newId } from "../support/plants.ts";

const plant = () => `{"id":${newId()},"name":"Monstera"}`;

describe("a request with the bearer token gets in", () => {
	it.each([
		["as RFC 6750 writes it", `Bearer ${token}`],
		["the scheme in small letters", `bearer ${token}`],
		["the scheme in capital letters", `BEARER ${token}`],
		["several spaces after the scheme", `Bearer   ${token}`],
	])("%s", async (_, authorization) => {
		const response = await create(plant(), { Authorization: authorization });
		await expectPlant(response, { name: "Monstera" });
	});
});

describe("a request without a well-formed bearer token is 401, and the challenge has no error", () => {
	it.each([
		["no Authorization", undefined],
		["an empty Authorization", ""],
		["another scheme", `Basic ${btoa(`plants:${token}`)}`],
		["another scheme before it", `Basic Bearer ${token}`],
		["the token without a scheme", token],
		["a scheme without a token", "Bearer"],
		["another scheme that begins with Bearer", `BearerToken ${token}`],
		["no space after the scheme", `Bearer${token}`],
		["an equals sign after the scheme", `Bearer=${token}`],
		["a tab after the scheme", `Bearer\t${token}`],
		["characters that no token has", "Bearer t%ken"],
		["the token twice", `Bearer ${token}, ${token}`],
		["the token and another word", `Bearer ${token} x`],
		["the token in quotes", `Bearer "${token}"`],
		["a comma", "Bearer ,"],
	])("%s", async (_, authorization) => {
		const response = await create(plant(), { Authorization: authorization });
		expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="plant-store"');
		await expectError(response, 401, /Authorization: Bearer <ACCESS_TOKEN>/);
	});
});

describe("a request with another bearer token is 401, and the challenge says invalid_token", () => {
	it.each([
		["another", "x"],
		["another of the same length", "x".repeat(token.length)],
		["the token without its last character", token.slice(0, -1)],
		["the token and one more character", `${token}x`],
		["the token in capital letters", token.toUpperCase()],
		["the word undefined", "undefined"],
	])("%s", async (_, other) => {
		const response = await create(plant(), {
			Authorization: `Bearer ${other}`,
		});
		const challenge = 'Bearer realm="plant-store", error="invalid_token"';
		expect(response.headers.get("WWW-Authenticate")).toBe(challenge);
		await expectError(response, 401, /^Send a different bearer token: this one is not accepted\.$/);
	});
});

it("the token is checked before anything else in the request", async () => {
	const response = await create("x".repeat(2 ** 20 + 1), {
		Authorization: undefined,
		"Content-Type": "text/plain",
	});
	await expectError(response, 401, /Authorization/);
});

it("a token in the body or the query is ignored (RFC 6750, sections 2.2 and 2.3)", async () => {
	const response = await request(`/plants?access_token=${encodeURIComponent(token)}`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: `{"id":${newId()},"name":"Monstera","access_token":"${token}"}`,
	});
	await expectError(response, 401, /Authorization/);
});
