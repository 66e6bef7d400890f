// The service as a client sees it, at the origin that test/support/serve.ts has found.
import { inject } from "vitest";

/** The bearer token that the service accepts. */
export const token = inject("token");

/** Returns a random id from 9223372036000000000 up, which a double would round. */
export const newId = () => 9223372036000000000n + BigInt(Math.floor(Math.random() * 854_775_807));

/** Returns a NewPlant as JSON, with a random id and the name "Monstera". */
export const newPlant = () => `{"id":${newId()},"name":"Monstera"}`;

/** Sends a request to a path of the service. */
export function request(path: string, init: RequestInit): Promise<Response> {
	return fetch(`${inject("url")}${path}`, { redirect: "manual", duplex: "half", ...init });
}

/** Sends POST /plants with the bearer token and the media type, if no others are given. */
export function post(
	body: NonNullable<RequestInit["body"]> | null,
	given: Record<string, string> = {},
): Promise<Response> {
	const accepted = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const headers = { ...accepted, ...given };
	return request("/plants", { method: "POST", body, headers });
}
