// The static files, which the platform serves before the Worker: the reference page and the OpenAPI documents.
import { describe, expect, it } from "vitest";
import { request } from "#service";
import { openapi, openapi30 } from "../../src/openapi.ts";

describe.each([
	["/", "text/html"],
	["/openapi.json", "application/json"],
	["/openapi-3.0.json", "application/json"],
])("%s", (path, type) => {
	it("is answered to GET, with its media type and the headers in page/_headers", async () => {
		const { status, headers } = await request(path, { method: "GET" });
		expect([status, headers.get("X-Content-Type-Options")]).toEqual([200, "nosniff"]);
		expect(headers.get("Content-Type")).toMatch(type);
	});
	it("is answered to HEAD without a body", async () => {
		const response = await request(path, { method: "HEAD" });
		expect([response.status, await response.text()]).toEqual([200, ""]);
	});
	it("is not sent again if it has not changed", async () => {
		const { headers } = await request(path, { method: "GET" });
		const condition = { "If-None-Match": headers.get("ETag") ?? "" };
		const response = await request(path, { method: "GET", headers: condition });
		expect([response.status, await response.text()]).toEqual([304, ""]);
	});
	it.each(["POST", "PUT", "DELETE", "OPTIONS"])("is 405 for %s", async (method) => {
		expect((await request(path, { method })).status).toBe(405);
	});
});

it.each([
	["/openapi.json", openapi],
	["/openapi-3.0.json", openapi30],
])("%s is the document of this project", async (path, document) => {
	const response = await request(path, { method: "GET" });
	expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});
