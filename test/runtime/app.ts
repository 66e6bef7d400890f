// The service inside the Workers runtime, where a test also sees its KV.
import { env } from "cloudflare:workers";
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
