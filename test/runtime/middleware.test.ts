// Middleware above the routes of src/index.ts: its headers, its reading and its exceptions.
import { env } from "cloudflare:workers";
import type { MiddlewareHandler } from "hono";
import { setCookie } from "hono/cookie";
import { HTTPException } from "hono/http-exception";
import { describe, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { expectError, expectPlant } from "../support/answers.ts";
import { createBehind, headers } from "./app.ts";

const plant = '{"id":9007199254740993,"name":"Monstera"}';

it.each([
	[200, plant, headers],
	[400, "{}", headers],
	[401, plant, {}],
])("an answer with %i has the cookie of middleware, once", async (status, body, given) => {
	const cookie: MiddlewareHandler = async (c, next) => {
		setCookie(c, "seen", "yes");
		await next();
	};
	const answer = await createBehind(cookie, body, given);
	expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, ["seen=yes; Path=/"]]);
});

describe("middleware may read the body before the service does, and after it", () => {
	describe.each(["arrayBuffer", "text", "json"] as const)("by c.req.%s()", (method) => {
		const bodies: unknown[] = [];
		const read: MiddlewareHandler = async (c, next) => {
			bodies.length = 0;
			bodies.push(await c.req[method]());
			await next();
			bodies.push(await c.req[method]());
		};
		it.each([{}, { "Content-Length": `${plant.length}` }])("with %j", async (length) => {
			const answer = await createBehind(read, plant, { ...headers, ...length });
			await expectPlant(answer, { name: "Monstera" });
			expect(await env.PLANTS.get("9007199254740993")).toBe(plant);
			expect(bodies[1]).toEqual(bodies[0]);
		});
		it("even one that is too large", async () => {
			const answer = await createBehind(read, `"${"x".repeat(2 ** 20)}"`);
			await expectError(answer, 413, /bytes/);
		});
	});
});

it("a json() that middleware has put on the request is there again after the service", async () => {
	let read: unknown;
	const replace: MiddlewareHandler = async (c, next) => {
		// The caller chooses the type, as with Hono's json().
		c.req.json = async <T>() => "mine" as T;
		await next();
		read = await c.req.json();
	};
	await expectPlant(await createBehind(replace, plant), { name: "Monstera" });
	expect(read).toBe("mine");
});

describe("middleware may replace the body by a stream that is not of bytes", () => {
	const replaceBy = (text: string): MiddlewareHandler => {
		return async (c, next) => {
			const body = new Blob([text]).stream().pipeThrough(new TransformStream());
			c.req.raw = new Request(c.req.raw, { method: "POST", body });
			await next();
		};
	};
	it("a plant is stored", async () => {
		await expectPlant(await createBehind(replaceBy(plant), "{}"), { name: "Monstera" });
	});
	it("one that is too large is 413", async () => {
		const tooLarge = replaceBy(`"${"x".repeat(2 ** 20)}"`);
		await expectError(await createBehind(tooLarge, "{}"), 413, /bytes/);
	});
});

it.each([
	[401, "Log in.", "Log in."],
	[403, "Ask for access.", "Ask for access."],
	[418, "", "The request failed."],
	[504, "A gateway failed.", "A gateway failed."],
] as const)("an HTTPException %i, %j, becomes an Error", async (status, message, answered) => {
	vi.spyOn(console, "error").mockReturnValue();
	const answer = await createBehind(
		() => Promise.reject(new HTTPException(status, { message })),
		plant,
	);
	await expectError(answer, status, new RegExp(`^${answered}$`));
	expect(answer.headers.has("Retry-After")).toBe(false);
});

it("an HTTPException with a response is answered with that and, as in Hono, its own status", async () => {
	const own = new HTTPException(429, { res: new Response("slow down") });
	const answer = await createBehind(() => Promise.reject(own), plant);
	expect([answer.status, await answer.text()]).toEqual([429, "slow down"]);
});

// The last test, because the app keeps this middleware.
it("the part after next() in the last middleware runs even if the path is unknown", async () => {
	app.use(async (c, next) => {
		await next();
		c.header("X-After", "yes");
	});
	const answer = await app.request("/nope", {}, env);
	await expectError(answer, 404, /POST/);
	expect(answer.headers.get("X-After")).toBe("yes");
});
