// What a client sees of an answer: its status and its body, then its headers.
import { expect } from "vitest";

/** Expects 200 and, to the last code unit, this Plant. */
export async function expectPlant(response: Response, plant: object) {
	const text = await response.text();
	const expected = JSON.stringify(plant);
	// The start alone, because a difference of 1 MiB would fill the screen.
	expect(`${response.status} ${text}`.slice(0, 100)).toBe(`200 ${expected}`.slice(0, 100));
	expect(text === expected, `the whole Plant, ${expected.length} characters`).toBe(true);
	expect(response.headers.get("Content-Type")).toBe("application/json");
}

/** Expects an Error with this number, and a message that matches. */
export async function expectError(response: Response, error: number, message: RegExp) {
	const text = (await response.text()).slice(0, 1000);
	const status = [401, 404, 405].includes(error) ? error : 400;
	expect(`${response.status} ${text}`).toMatch(/^\d+ \{"error":\d+,"message":".+"\}$/);
	expect({ status: response.status, ...JSON.parse(text) }).toEqual({
		status,
		error,
		message: expect.stringMatching(message),
	});
	expect(response.headers.get("Content-Type")).toBe("application/json");
}
