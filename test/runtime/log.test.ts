// The log when the service or its store fails: no token, and of a plant only its id.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import app from "../../src/index.ts";
import { expectError } from "../support/responses.ts";
import { create } from "./app.ts";
import { createIn, fakeKv, fakeTimeAndLog, headers, log, plant, ray, value } from "./fake-kv.ts";

fakeTimeAndLog();

const stack = expect.stringMatching(/^ +at .+\n +at /);

afterEach(() => {
	const text = JSON.stringify(log);
	for (const secret of [env.ACCESS_TOKEN, ...Object.values(plant)]) {
		expect(text).not.toContain(secret);
	}
});

describe("a bug is 500, and logged once, by its name and where it was thrown", () => {
	const quoting = new TypeError(`in ${value}\n    at ${headers.Authorization}`);
	it.each([
		["an exception that quotes the plant and the token", fakeKv([quoting])],
		["a missing binding", undefined],
	])("%s", async (_, PLANTS) => {
		const response = await createIn(PLANTS);
		const message = /^The service failed\. Send the request again; .+ tell the operator\.$/;
		await expectError(response, 500, message);
		expect(response.headers.has("Retry-After")).toBe(false);
		expect(log).toEqual([{ error: 500, ray, cause: "TypeError", stack }]);
	});
	it("without its stack if the heading is not at its start", async () => {
		const text = `${plant.tag}\nTypeError: ${plant.name}\n    at ${plant.name}`;
		const exception = Object.assign(new TypeError(plant.name), { stack: text });
		await expectError(await createIn(fakeKv([exception])), 500, /again/);
		expect(log).toEqual([{ error: 500, ray, cause: "TypeError", stack: "" }]);
	});
});

it("a client's mistake is not logged", async () => {
	await expectError(await create("{"), 400, /JSON/);
	await expectError(await create(value, {}), 401, /token/);
	await expectError(await create("{}"), 422, /name/);
	await expectError(await app.request("/nope", { method: "POST" }, env), 404, /POST/);
	expect(log).toEqual([]);
});
