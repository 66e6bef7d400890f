// The service inside the Workers runtime, where a test also sees its KV.
import { env } from "cloudflare:workers";
import { Hono, type MiddlewareHandler } from "hono";
import { answerFailure } from "../../src/failure.ts";
import app from "../../src/index.ts";

/** The headers of an accepted request. */
export const headers = {
	Authorization: `Bearer ${env.ACCESS_TOKEN}`,
	"Content-Type": "application/json",
};

/** Sends POST /plants to the service, with these headers and bindings in place of its own. */
export async function create(
	body: BodyInit | null,
	given: Record<string, string> = headers,
	bindings: object = env,
): Promise<Response> {
	return app.request("/plants", { method: "POST", headers: given, body }, bindings);
}

/** Sends POST /plants to a service that has this middleware above its routes. */
export async function createBehind(
	middleware: MiddlewareHandler,
	body: BodyInit,
	given: Record<string, string> = headers,
): Promise<Response> {
	const service = new Hono().onError(answerFailure).use(middleware).route("/", app);
	return service.request("/plants", { method: "POST", headers: given, body }, env);
}
