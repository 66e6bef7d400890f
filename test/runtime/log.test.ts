// The log of a request that fails: whose it was, and why, but no token, and of a plant only its id.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { afterEach, describe, expect, it, vi } from "vitest";
import { respondWithError } from "../../src/error.ts";
import app from "../../src/index.ts";
import { MAX_BODY_BYTES, NewPlant } from "../../src/plant.ts";
import type { AppEnv } from "../../src/token.ts";
import { plant } from "../support/members.ts";
import { expectError, expectPlant } from "../support/responses.ts";
import { create } from "./app.ts";
import {
	createWithKv,
	fakeKv,
	fakeTimeAndLog,
	withRay,
	logLines,
	logged,
	ray,
	plantJson,
} from "./fakes.ts";

fakeTimeAndLog();

const stack = expect.stringMatching(/^ +at .+\n +at /);

afterEach(() => {
	const text = logLines.flatMap((line) => Object.values(line)).join("\n");
	const members = JSON.stringify(plant).slice(1, -1);
	for (const secret of [env.ACCESS_TOKEN, plant.name, plant.tag, members]) {
		expect(text).not.toContain(secret);
	}
});

describe("a bug is 500, and logged once, by its name and where it was thrown", () => {
	const quoted = `in ${plantJson}\n    at ${withRay.Authorization}`;
	const quoting = new TypeError(`${quoted}\n    at ${plantJson} (plant.js:1:2)`);
	const unreadable = () =>
		new ReadableStream({ type: "bytes", pull: (stream) => stream.error(quoting) });
	it.each([
		["an exception that quotes the plant and the token", () => createWithKv(fakeKv([quoting]))],
		["a missing binding", () => createWithKv(undefined)],
		["a body that cannot be read", () => create(unreadable(), withRay)],
	])("%s", async (_, send) => {
		const response = await send();
		const message = /^The service failed\. Send the request again; .+ tell the operator\.$/;
		await expectError(response, 500, message);
		expect(response.headers.has("Retry-After")).toBe(false);
		expect(logLines).toEqual([{ ...logged(500), exception: "TypeError", stack }]);
	});
	it("an engine that gives a reviver no source, from which an id would be inexact", async () => {
		const parse = JSON.parse;
		vi.spyOn(JSON, "parse").mockImplementation((text, reviver) =>
			parse(text, reviver && ((key, value) => reviver(key, value))),
		);
		await expectError(await create(plantJson, withRay), 500, /again/);
		expect(logLines).toEqual([{ ...logged(500), exception: "TypeError", stack }]);
	});
	it("an exception whose message was changed on the way", async () => {
		const { stack: first } = new TypeError(quoted);
		const changed = Object.assign(new TypeError(plant.name), { stack: first });
		await expectError(await createWithKv(fakeKv([changed])), 500, /again/);
		expect(logLines).toEqual([{ ...logged(500), exception: "TypeError", stack }]);
	});
});

it("an exception of zod's, which makes its own stack, is logged with its frames", async () => {
	const other = new Hono<AppEnv>().onError(respondWithError);
	other.get("/", (c) => c.json(NewPlant.parse({ ...plant, id: "none" })));
	await expectError(await other.request("/", { headers: withRay }), 500, /again/);
	expect(logLines).toEqual([{ method: "error", error: 500, ray, exception: "$ZodError", stack }]);
});

it.each([
	[400, plantJson.slice(0, -1), {}],
	[413, plantJson.padStart(MAX_BODY_BYTES + 1), {}],
	[415, plantJson, { "Content-Type": "text/plain" }],
	[422, `{"${plant.tag}":1,"id":"${plant.name}"}`, {}],
])("%i is logged once, with its message and client", async (error, body, more) => {
	const response = await create(body, { ...withRay, ...more });
	const { message } = await response.clone().json<{ message: string }>();
	await expectError(response, error, /Send|required/);
	expect(logLines).toEqual([{ ...logged(error), message }]);
});

it("the log names the client by its secret, the first of two with the same token", async () => {
	const clients = { ...env, ACCESS_TOKEN_SHOP: "shop-token", ACCESS_TOKEN_SHOP_2: "shop-token" };
	const asShop = { ...withRay, Authorization: "Bearer shop-token" };
	await expectError(await create("{}", asShop, clients), 422, /name/);
	expect(logLines).toMatchObject([{ error: 422, client: "ACCESS_TOKEN_SHOP" }]);
});

it("a plant that is created, and a request without an accepted token, leave no line", async () => {
	await expectPlant(await create(plantJson, withRay), plant);
	await expectError(await create(plantJson, {}), 401, /token/);
	await expectError(await create("{", { ...withRay, Authorization: "Bearer other" }), 401, /token/);
	await expectError(await app.request("/nope", { headers: withRay }, env), 404, /POST/);
	await expectError(await app.request("/plants", { headers: withRay }, env), 405, /POST/);
	expect(logLines).toEqual([]);
});
