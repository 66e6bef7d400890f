// The service inside the Workers runtime, where a test also sees its KV.
import { env } from "cloudflare:workers";
import { Hono, type MiddlewareHandler } from "hono";
import { answerException } from "../../src/error.ts";
import app from "../../src/index.ts";

/** The headers of an accepted request. */
export const accepted = {
	Authorization: `Bearer ${env.ACCESS_TOKEN}`,
	"Content-Type": "application/json",
};

/** Sends POST /plants to the service. */
export async function create(
	body: BodyInit | null,
	headers: Record<string, string> = accepted,
	bindings: object = env,
): Promise<Response> {
	return app.request("/plants", { method: "POST", headers, body }, bindings);
}

/** Sends POST /plants to a service that has this middleware above its routes. */
export async function createBehind(
	middleware: MiddlewareHandler,
	body: BodyInit,
	headers: Record<string, string> = accepted,
): Promise<Response> {
	const service = new Hono().onError(answerException).use(middleware).route("/", app);
	return service.request("/plants", { method: "POST", headers, body }, env);
}
