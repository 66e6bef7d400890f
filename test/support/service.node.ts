// The service at a base URL, for the conformance cases.

/** The bearer token that the service accepts, from the environment. */
export const token = process.env["ACCESS_TOKEN"] ?? "";

/** Sends a request to a path of the service. */
export function request(path: string, init: RequestInit): Promise<Response> {
	const url = `${process.env["SERVICE_URL"]}${path}`;
	return fetch(url, { redirect: "manual", duplex: "half", ...init });
}
