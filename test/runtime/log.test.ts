// The log when the service or its store fails. No token, name or tag is in it.
import { env } from "cloudflare:workers";
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import app from "../../src/index.ts";
import { expectError } from "../support/responses.ts";
import { create, createBehind } from "./app.ts";
import { createIn, fakeKv, fakeTimeAndLog, headers, log, plant, ray, value } from "./fake-kv.ts";

fakeTimeAndLog();

const stack = expect.stringMatching(/^ +at .+\n +at /);

afterEach(() => {
	const text = JSON.stringify(log);
	for (const secret of [env.ACCESS_TOKEN, ...Object.values(plant)]) {
		expect(text).not.toContain(secret);
	}
});

describe("an unexpected exception is 500, and logged once, by its name and where it was thrown", () => {
	const quoting = new SyntaxError(`in ${value}\n    at ${headers.Authorization}`);
	it.each([
		["an Error that quotes the plant and the token", fakeKv([quoting]), "SyntaxError"],
		["an Error that only mentions KV", fakeKv([new Error("Monstera KV x")]), "Error"],
		["a zod error", { put: () => z.parse(z.literal(value), plant.name) }, "$ZodError"],
		["a missing binding", undefined, "TypeError"],
	])("%s", async (_, PLANTS, cause) => {
		const response = await createIn(PLANTS);
		await expectError(response, 500, /^The service failed\. Send the request again\.$/);
		expect(response.headers.has("Retry-After")).toBe(false);
		expect(log).toEqual([{ error: 500, ray, cause, stack }]);
	});
	it("without its stack if the heading is not at its start", async () => {
		const text = `${plant.tag}\nError: ${plant.name}\n    at ${plant.name}`;
		const exception = Object.assign(new Error(plant.name), { stack: text });
		await expectError(await createIn(fakeKv([exception])), 500, /again/);
		expect(log).toEqual([{ error: 500, ray, cause: "Error", stack: "" }]);
	});
});

describe("an exception of middleware is logged once, without its texts", () => {
	const own = { message: value, res: new Response("down") };
	it.each<[string, number, string, MiddlewareHandler]>([
		["an HTTPException", 501, "Error", () => Promise.reject(new HTTPException(501, own))],
		["a body read by c.req.raw", 500, "TypeError", (c, next) => c.req.raw.text().then(next)],
	])("%s: %i", async (_, error, cause, middleware) => {
		await createBehind(middleware, value, headers);
		expect(log).toEqual([{ error, ray, cause, stack }]);
	});
});

it("a client's mistake is not logged", async () => {
	await expectError(await create("{"), 400, /JSON/);
	await expectError(await create(value, {}), 401, /token/);
	await expectError(await create("{}"), 422, /name/);
	await expectError(await app.request("/nope", { method: "POST" }, env), 404, /POST/);
	expect(log).toEqual([]);
});
