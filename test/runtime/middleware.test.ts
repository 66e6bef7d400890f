// Middleware above the routes of src/index.ts: its headers, its reading and its exceptions.
import { env } from "cloudflare:workers";
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { expect, it, vi } from "vitest";
import { expectError, expectPlant } from "../support/responses.ts";
import { accepted, createBehind } from "./app.ts";

const plant = '{"id":9007199254740993,"name":"Monstera"}';

it.each([
	[200, plant, accepted],
	[400, "{}", accepted],
	[401, plant, {}],
])("a response with %i has the headers of middleware, once", async (status, body, headers) => {
	const middleware: MiddlewareHandler = async (c, next) => {
		c.header("Set-Cookie", "seen=yes", { append: true });
		await next();
		c.header("X-After", "yes");
	};
	const response = await createBehind(middleware, body, headers);
	expect([response.status, response.headers.getSetCookie()]).toEqual([status, ["seen=yes"]]);
	expect(response.headers.get("X-After")).toBe("yes");
});

it("middleware may read the body by c.req.arrayBuffer()", async () => {
	const read: MiddlewareHandler = (c, next) => c.req.arrayBuffer().then(next);
	await expectPlant(await createBehind(read, plant), { name: "Monstera" });
	expect(await env.PLANTS.get("9007199254740993")).toBe(plant);
	const tooLarge = `"${"x".repeat(2 ** 20)}"`;
	await expectError(await createBehind(read, tooLarge), 413, /bytes/);
});

it.each([
	[401, "Log in.", /^Log in\.$/],
	[404, "No page.", /^No page\.$/],
	[403, "", /^The request failed\.$/],
	[504, "A gateway failed.", /^A gateway failed\.$/],
] as const)("an HTTPException %i, %j, becomes an Error", async (status, message, expected) => {
	vi.spyOn(console, "error").mockReturnValue();
	const exception = new HTTPException(status, { message });
	const response = await createBehind(() => Promise.reject(exception), plant);
	await expectError(response, status, expected);
	expect(response.headers.has("Retry-After")).toBe(false);
});

it("an HTTPException with a response is answered with that, and with earlier headers", async () => {
	vi.spyOn(console, "error").mockReturnValue();
	const res = new Response("slow down", { headers: { "X-Own": "yes" } });
	const response = await createBehind((c) => {
		c.header("X-Before", "yes");
		throw new HTTPException(503, { res });
	}, plant);
	expect([response.status, await response.text()]).toEqual([503, "slow down"]);
	expect(Object.fromEntries(response.headers)).toMatchObject({ "x-own": "yes", "x-before": "yes" });
});
