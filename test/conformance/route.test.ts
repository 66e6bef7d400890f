// The route of the operation, and the answers outside it.

import { describe, it } from "vitest";
import { request, token } from "#service";
import { expectError, expectPlant, newId } from "../support/plants.ts";

const headers = {
	Authorization: `Bearer ${token}`,
	"Content-Type": "application/json",
};
const body = () => `{"id":${newId()},"name":"Monstera"}`;

describe("POST /plants is the operation", () => {
	it.each(["/plants", "/plants?", "/plants?id=1&x", "/%70lants"])("%s", async (path) => {
		const response = await request(path, {
			method: "POST",
			headers,
			body: body(),
		});
		await expectPlant(response, { name: "Monstera" });
	});
});

describe("any other path is 404", () => {
	it.each([
		"/nope",
		"/plants/",
		"/plants//",
		"//plants",
		"/Plants",
		"/plant",
		"/plantss",
		"/v1/plants",
		"/plants%2F",
		"/plants%00",
	])("%s", async (path) => {
		for (const method of ["GET", "POST"]) {
			const response = await request(path, {
				method,
				headers,
				body: method === "POST" ? body() : null,
			});
			await expectError(response, 404, /^Use POST \/plants: it is the only operation\.$/);
		}
	});
});
