// What the OpenAPI document says of every operation, whatever it is. Nothing is stored: a service may have
// plants of its own under the ids in the examples.
import { describe, expect, it } from "vitest";
import { request } from "#service";
import { operations } from "../support/document.ts";
import { expectError } from "../support/plants.ts";

describe.each(operations)("$method $path", ({ method, url, responses }) => {
	it.each([
		["without a bearer token", {}, ""],
		["with a wrong bearer token", { Authorization: "Bearer wrong" }, ', error="invalid_token"'],
	])("%s is 401, with the challenge", async (_, headers, reason) => {
		const challenge = responses.get(401)?.headers.get("WWW-Authenticate")?.example;
		const response = await request(url, { method, headers });
		expect(response.headers.get("WWW-Authenticate")).toBe(`${challenge}${reason}`);
		await expectError(response, 401, /bearer token/);
	});
});

const urls = new Set(operations.map(({ url }) => url));
const others = [...urls].flatMap((url) => {
	const methods = operations
		.filter((operation) => operation.url === url)
		.map(({ method }) => method);
	// Hono answers HEAD where there is a GET.
	const known = methods.includes("GET") ? [...methods, "HEAD"] : methods;
	return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
		.filter((method) => !known.includes(method))
		.map((method) => ({ method, url, methods }));
});

it.each(others)(
	"$method $url is 405, and Allow lists the methods in the document",
	async (other) => {
		const { method, url, methods } = other;
		const response = await request(url, { method });
		const allowed = response.headers.get("Allow")?.split(/, */) ?? [];
		expect(allowed.toSorted()).toEqual(methods.toSorted());
		if (method !== "HEAD") return expectError(response, 405, /./);
		expect([response.status, await response.text()]).toEqual([405, ""]);
	},
);
