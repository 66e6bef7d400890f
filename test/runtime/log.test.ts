// The log when the service or its store fails. No token, name or tag is in it.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import app from "../../src/index.ts";
import { expectError } from "../support/plants.ts";
import { createIn, headers, id, kv, lost, plant, ray, refused, seen, value } from "./failing-kv.ts";

afterEach(() => {
	const text = JSON.stringify(seen.log);
	for (const secret of [env.ACCESS_TOKEN, plant.name, plant.tag])
		expect(text).not.toContain(secret);
});

describe("a plant that KV did not acknowledge is logged once, with KV's own message", () => {
	it.each([
		refused("429 Too Many Requests"),
		refused("403 Forbidden"),
		lost,
		new Error("KV put() limit exceeded for the day."),
	])("%s", async (error) => {
		await expectError(await createIn(kv(error)), 503, /again/);
		expect(seen.log).toEqual([
			{ message: expect.any(String), error: 503, id: `${id}`, ray, cause: error.message },
		]);
	});
});

describe("an unexpected exception is 500, and logged once, by its name and where it was thrown", () => {
	const quoting = new SyntaxError(`in ${value}\n    at ${headers.Authorization}`);
	it.each([
		["an Error that quotes the plant and the token", kv(quoting), "SyntaxError"],
		["an Error that only mentions KV", kv(new Error("Monstera KV x")), "Error"],
		["an Error that begins like one of KV's", kv(new Error("KVMonstera")), "Error"],
		["an error of zod", { put: () => z.parse(z.literal(value), plant.name) }, "$ZodError"],
		["a string", kv(value), "TypeError"],
		["undefined", kv(undefined), "TypeError"],
		["a missing binding", undefined, "TypeError"],
	])("%s", async (_, PLANTS, cause) => {
		const answer = await createIn(PLANTS);
		expect(answer.headers.has("Retry-After")).toBe(false);
		await expectError(answer, 500, /perhaps after storing the plant.*again/);
		expect(seen.log).toEqual([
			{
				message: expect.any(String),
				error: 500,
				id: `${id}`,
				ray,
				cause,
				stack: expect.stringMatching(/^ +at /),
			},
		]);
	});
	it.each([
		["has no heading", `${plant.name}\n    at x`],
		["has its heading later", `${plant.tag}\nError: ${plant.name}\n    at ${plant.name}`],
	])("without a stack that %s", async (_, stack) => {
		const error = Object.assign(new Error(plant.name), { stack });
		await expectError(await createIn(kv(error)), 500, /again/);
		expect(seen.log).toEqual([expect.objectContaining({ error: 500, cause: "Error", stack: "" })]);
	});
});

describe("an exception before the plant was validated is 500, and the message does not mention storing", () => {
	const broken = (name: string) =>
		Object.defineProperty({ ...env }, name, {
			get() {
				throw new RangeError("x", { cause: "y" });
			},
		});
	it.each([
		["in the token check", "/plants", { method: "POST", headers, body: value }, "ACCESS_TOKEN"],
		["in the static files", "/", { headers }, "ASSETS"],
	])("%s", async (_, path, init, binding) => {
		const answer = await app.request(path, init, broken(binding));
		await expectError(answer, 500, /^(?!.*stor).*again/);
		expect(seen.log).toEqual([
			{
				message: expect.any(String),
				error: 500,
				ray,
				cause: "RangeError",
				stack: expect.any(String),
			},
		]);
	});
});

it("a client's mistake is not logged", async () => {
	const post = (given: Record<string, string>, body: string) =>
		app.request("/plants", { method: "POST", headers: given, body }, env);
	await expectError(await post(headers, "{"), 400, /JSON/);
	await expectError(await post({}, value), 401, /token/);
	await expectError(await post({ ...headers, Authorization: "Bearer wrong" }, value), 401, /token/);
	await expectError(await app.request("/nope", { method: "POST" }, env), 404, /POST/);
	expect(seen.log).toEqual([]);
});
