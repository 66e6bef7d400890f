// The bearer token, and the challenge if it is missing or not accepted.
import { describe, expect, it } from "vitest";
import { expectError, expectPlant } from "../support/responses.ts";
import { create, newId, request, token } from "./client.ts";

const plant = () => `{"id":${newId()},"name":"Monstera"}`;
const type = { "Content-Type": "application/json" };

it.each(["Bearer", "bearer"])("the scheme %s with the token is accepted", async (scheme) => {
	const response = await create(plant(), { Authorization: `${scheme} ${token}` });
	await expectPlant(response, { name: "Monstera" });
});

describe("a request without a well-formed bearer token is 401, and the challenge has no error", () => {
	it.each([
		["no Authorization", {}],
		["another scheme", { Authorization: `Basic ${btoa(`plants:${token}`)}` }],
		["a scheme without a token", { Authorization: "Bearer" }],
		["a token with a character that no token has", { Authorization: `Bearer ${token}%` }],
	])("%s", async (_, authorization) => {
		const headers = { ...type, ...authorization };
		const response = await request("/plants", { method: "POST", headers, body: plant() });
		await expectError(response, 401, /Authorization: Bearer <token>/);
		expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="plant-store"');
	});
});

describe("a request with another bearer token is 401, and the challenge says invalid_token", () => {
	it.each([
		["the token without its last character", token.slice(0, -1)],
		["one more character before the token", `x${token}`],
	])("%s", async (_, other) => {
		const response = await create(plant(), { Authorization: `Bearer ${other}` });
		await expectError(response, 401, /^Send a different bearer token: this one is not accepted\.$/);
		const challenge = 'Bearer realm="plant-store", error="invalid_token"';
		expect(response.headers.get("WWW-Authenticate")).toBe(challenge);
	});
});
