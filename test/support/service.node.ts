// The service at a base URL, for the conformance cases.
import { inject } from "vitest";

/** The bearer token that the service accepts. */
export const token = inject("token");

/** Sends a request to a path of the service. */
export function request(path: string, init: RequestInit): Promise<Response> {
	return fetch(`${inject("url")}${path}`, { redirect: "manual", duplex: "half", ...init });
}
