// What a client sees of a response: status, body and headers.
import { Validator } from "@cfworker/json-schema";
import { expect } from "vitest";
import { openapi } from "../../src/openapi.ts";

/** Expects 200 and, to the last code unit, this Plant. */
export async function expectPlant(response: Response, plant: object) {
	expect(`${response.status} ${await response.text()}`).toBe(`200 ${JSON.stringify(plant)}`);
	expect(response.headers.get("Content-Type")).toBe("application/json");
}

/** Expects an Error with this number and this message, or one that matches. */
export async function expectError(response: Response, error: number, message: string | RegExp) {
	const text = await response.text();
	const status = [401, 404, 405].includes(error) ? error : 400;
	expect(`${response.status} ${text}`).toMatch(/^\d+ \{"error":\d+,"message":".+"\}$/);
	expect({ status: response.status, ...JSON.parse(text) }).toEqual({
		status,
		error,
		message: typeof message === "string" ? message : expect.stringMatching(message),
	});
	expect(response.headers.get("Content-Type")).toBe("application/json");
}

/**
 * Returns the problems of a value under a schema of the OpenAPI document. An additional member
 * counts as a problem, too. The validator knows nothing of zod, and doesn't check an integer's range.
 */
export function problemsOf(schema: object, value: unknown): string[] {
	const { components } = openapi;
	// A copy, because the validator adds members to it.
	const whole = structuredClone({ ...schema, unevaluatedProperties: false, components });
	const validator = new Validator(whole, "2020-12");
	return validator.validate(value).errors.map(({ error }) => error);
}
