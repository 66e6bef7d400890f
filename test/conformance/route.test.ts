// The one operation, and what is answered outside it.

import { describe, expect, it } from "vitest";
import { request, token } from "#service";
import { expectError, expectPlant, newId } from "../support/plants.ts";

const headers = {
	Authorization: `Bearer ${token}`,
	"Content-Type": "application/json",
};
const body = () => `{"id":${newId()},"name":"Monstera"}`;

describe("POST /plants is the operation", () => {
	it.each(["/plants", "/plants?", "/plants?id=1&x", "/%70lants", "/x/../plants"])(
		"%s",
		async (path) => {
			const response = await request(path, {
				method: "POST",
				headers,
				body: body(),
			});
			await expectPlant(response, { name: "Monstera" });
		},
	);
});

describe("another method on /plants is 405, with Allow", () => {
	it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s", async (method) => {
		const response = await request("/plants", { method });
		expect(response.headers.get("Allow")).toBe("POST");
		await expectError(response, 405, /POST/);
	});
	it("HEAD, which has no body", async () => {
		const response = await request("/plants", { method: "HEAD" });
		expect([response.status, response.headers.get("Allow"), await response.text()]).toEqual([
			405,
			"POST",
			"",
		]);
	});
});

describe("the reference page and its document are static files, in no other method than GET and HEAD", () => {
	it.each(["/", "/openapi.json"])("GET %s", async (path) => {
		expect((await request(path, { method: "GET" })).status).toBe(200);
	});
	it.each(["POST /", "POST /openapi.json", "DELETE /page.js", "OPTIONS /"])(
		"%s is 404",
		async (line) => {
			const [method = "", path = ""] = line.split(" ");
			await expectError(await request(path, { method }), 404, /POST \/plants/);
		},
	);
});

describe("any other path is 404", () => {
	it.each([
		"/nope",
		"/plants/",
		"/plants/1",
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
			await expectError(response, 404, /POST \/plants/);
		}
	});
});
