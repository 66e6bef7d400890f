// The static files, which the platform serves before the Worker: the page and the document.
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import { request } from "./client.ts";

const get = (path: string) => request(path, { method: "GET" });

it("the page is HTML that loads nothing from elsewhere, and that nobody can frame", async () => {
	const { status, headers } = await get("/docs");
	expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
	// The page's own files, and nothing else but the pictures inside Swagger UI's styles.
	const policy =
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
	expect(headers.get("Content-Security-Policy")).toBe(policy);
	expect(headers.get("Referrer-Policy")).toBe("no-referrer");
	expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
});

it("/openapi.json is the document of this project", async () => {
	const response = await get("/openapi.json");
	const type = response.headers.get("Content-Type");
	expect([response.status, type]).toEqual([200, "application/json"]);
	expect(await response.json()).toEqual(openapi);
});

it("every file of its own that the page links is served, and so is Swagger UI's license", async () => {
	const page = await (await get("/docs")).text();
	const linked = [...page.matchAll(/(?:href|src)="(?!https?:)([^"]+)"/g)].map(
		([, path]) => path ?? "",
	);
	expect(linked).toContain("/icon.svg");
	for (const path of [...linked, "/swagger-ui-license.txt"]) {
		const { status, headers } = await get(path);
		expect([path, status, headers.get("X-Content-Type-Options")]).toEqual([path, 200, "nosniff"]);
	}
	expect(await (await get("/swagger-ui-license.txt")).text()).toMatch("Apache License");
});
