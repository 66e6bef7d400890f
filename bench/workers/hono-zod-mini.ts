// The service's job with the same libraries, as documented, but for the imports and the comparison of tokens, which
// does not hash.
import { env } from "cloudflare:workers";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod/mini";

const NewPlant = z.object({
	id: z.int(),
	name: z.string(),
	tag: z.optional(z.string()),
});

const encoder = new TextEncoder();
const known = encoder.encode(env.ACCESS_TOKEN);

/** Whether a text is the bearer token, in a time that depends only on the lengths. */
function isToken(text: string): boolean {
	const sent = encoder.encode(text);
	return sent.length === known.length && crypto.subtle.timingSafeEqual(sent, known);
}

const app = new Hono<{ Bindings: Env }>();

app.use("/plants", bearerAuth({ verifyToken: isToken }));

app.post("/plants", zValidator("json", NewPlant), async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return c.json(plant);
});

export default app;
