// The log when the service or its store fails: no token, and of a plant only its id.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { afterEach, describe, expect, it } from "vitest";
import { answerException } from "../../src/error.ts";
import app from "../../src/index.ts";
import { expectError, expectPlant } from "../support/responses.ts";
import { create } from "./app.ts";
import { createWithKv, fakeKv, fakeTimeAndLog, headers, log, plant, ray, value } from "./fakes.ts";

fakeTimeAndLog();

const stack = expect.stringMatching(/^ +at .+\n +at /);

afterEach(() => {
	const text = JSON.stringify(log);
	for (const secret of [env.ACCESS_TOKEN, ...Object.values(plant)].map(String)) {
		expect(secret.length, `${secret} in fakes.ts could be in the log by chance`).toBeGreaterThan(7);
		expect(text).not.toContain(secret);
	}
});

describe("a bug is 500, and logged once, by its name and where it was thrown", () => {
	const quoting = new TypeError(`in ${value}\n    at ${headers.Authorization}`);
	const unreadable = () =>
		new ReadableStream({ type: "bytes", pull: (stream) => stream.error(quoting) });
	it.each([
		["an exception that quotes the plant and the token", () => createWithKv(fakeKv([quoting]))],
		["a missing binding", () => createWithKv(undefined)],
		["a body that cannot be read", () => create(unreadable(), headers)],
	])("%s", async (_, send) => {
		const response = await send();
		const message = /^The service failed\. Send the request again; .+ tell the operator\.$/;
		await expectError(response, 500, message);
		expect(response.headers.has("Retry-After")).toBe(false);
		expect(log).toEqual([{ error: 500, ray, cause: "TypeError", stack }]);
	});
	it("without its stack if the heading is not at its start", async () => {
		const text = `${plant.tag}\nTypeError: ${plant.name}\n    at ${plant.name}`;
		const exception = Object.assign(new TypeError(plant.name), { stack: text });
		await expectError(await createWithKv(fakeKv([exception])), 500, /again/);
		expect(log).toEqual([{ error: 500, ray, cause: "TypeError", stack: "" }]);
	});
});

it("an HTTPException of other code is logged without its cause", async () => {
	const other = new Hono().onError(answerException);
	other.get("/", () => {
		throw new HTTPException(503, { message: "Try again.", cause: { id: value, cause: value } });
	});
	await expectError(await other.request("/", { headers }), 503, /again/);
	expect(log).toEqual([{ error: 503, ray, cause: "Error", stack }]);
});

it("a plant that is created, and a client's mistake, are not logged", async () => {
	await expectPlant(await create(value), plant);
	await expectError(await create("{"), 400, /JSON/);
	await expectError(await create(value, {}), 401, /token/);
	await expectError(await create("{}"), 422, /name/);
	await expectError(await app.request("/nope", { method: "POST" }, env), 404, /POST/);
	expect(log).toEqual([]);
});
