// The static files, which the platform serves before the Worker: the page and the documents.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openapi, openapi30 } from "../../src/openapi.ts";
import { request } from "./service.ts";

const get = (path: string, headers = {}) => request(path, { method: "GET", headers });

it("the page is HTML, with the headers in page/_headers", async () => {
	const { status, headers } = await get("/");
	expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
	expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; script-src 'self';/);
	const lines = readFileSync("page/_headers", "utf8").matchAll(/^  (.+?): (.+)$/gm);
	for (const [, name = "", value] of lines) expect(headers.get(name)).toBe(value);
});

it.each([
	["/openapi.json", openapi],
	["/openapi-3.0.json", openapi30],
])("%s is the document of this project", async (path, document) => {
	const response = await get(path);
	const type = response.headers.get("Content-Type");
	expect([response.status, type]).toEqual([200, "application/json"]);
	expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

it("a file is not sent again if it has not changed", async () => {
	const { headers } = await get("/openapi.json");
	const response = await get("/openapi.json", { "If-None-Match": headers.get("ETag") });
	expect([response.status, await response.text()]).toEqual([304, ""]);
});

it("another method on a file is the platform's 405", async () => {
	const response = await request("/openapi.json", { method: "POST" });
	expect([response.status, await response.text()]).toEqual([405, ""]);
});
