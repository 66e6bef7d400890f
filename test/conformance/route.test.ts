// The route of the operation, and the answers outside it.

import { describe, expect, it } from "vitest";
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

describe("only GET and HEAD get the static files", () => {
	it.each([
		["/", "text/html", "<title>Plant Store</title>"],
		["/openapi.json", "application/json", '"openapi": "3.1.0"'],
		["/openapi-3.0.json", "application/json", '"openapi": "3.0.3"'],
	])("%s is %s", async (path, type, part) => {
		const file = await request(path, { method: "GET" });
		expect(file.status).toBe(200);
		expect(file.headers.get("Content-Type")).toMatch(type);
		expect(file.headers.get("X-Content-Type-Options")).toBe("nosniff");
		expect(await file.text()).toContain(part);
		const head = await request(path, { method: "HEAD" });
		expect(head.status).toBe(200);
		expect(head.headers.get("Content-Type")).toMatch(type);
		expect(await head.text()).toBe("");
		const headers = { "If-None-Match": file.headers.get("ETag") ?? "" };
		const unchanged = await request(path, { method: "GET", headers });
		expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
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
