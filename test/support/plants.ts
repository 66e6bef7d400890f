// Creates plants and checks the answers, in the Workers runtime and from outside.
import { expect } from "vitest";
import { request, token } from "#service";

/**
 * Returns a new id for a conformance case, from 9223372036000000000 up. Each file starts at a random one,
 * because several files share a store.
 */
export const newId = () => nextId++;
let nextId = 9223372036000000000n + BigInt(Math.floor(Math.random() * 854_000_000));

/** The status of an Error with this number, if it is not 400. */
const STATUS: Record<number, number> = { 401: 401, 404: 404, 405: 405 };

/** Sends POST /plants with valid headers; a header given as undefined is left out. */
export function create(
	body: NonNullable<RequestInit["body"]> | null,
	headers: Record<string, string | undefined> = {},
): Promise<Response> {
	const all = {
		Authorization: `Bearer ${token}`,
		"Content-Type": "application/json",
		...headers,
	};
	const given = Object.entries(all).filter(
		(entry): entry is [string, string] => entry[1] !== undefined,
	);
	return request("/plants", { method: "POST", body, headers: given });
}

/** Expects 200 and, to the last code unit, this Plant. */
export async function expectPlant(response: Response, plant: object) {
	const text = await response.text();
	const expected = JSON.stringify(plant);
	// The start alone, because a difference of 1 MiB would fill the screen.
	const start = text.slice(0, 100);
	expect({ status: response.status, start }).toEqual({
		status: 200,
		start: expected.slice(0, 100),
	});
	expect(text === expected, `the whole Plant, ${expected.length} characters`).toBe(true);
	expect(response.headers.get("Content-Type")).toBe("application/json");
}

/** Expects an Error with this number, and a message that matches. */
export async function expectError(response: Response, error: number, message: RegExp) {
	const text = (await response.text()).slice(0, 1000);
	expect({ status: response.status, text }).toEqual({
		status: STATUS[error] ?? 400,
		text: expect.stringMatching(/^\{"error":\d+,"message":".+"\}$/),
	});
	expect(response.headers.get("Content-Type")).toBe("application/json");
	expect(JSON.parse(text)).toEqual({
		error,
		message: expect.stringMatching(message),
	});
}
