// The service inside the Workers runtime, for the conformance cases.
import { env, exports } from "cloudflare:workers";

/** The bearer token that the service accepts. */
export const token = env.ACCESS_TOKEN;

/** Sends a request to a path of the service. */
export function request(path: string, init: RequestInit): Promise<Response> {
	return exports.default.fetch(new Request(`https://plant-store.test${path}`, init));
}
