// A plant store with the same libraries, but no exact ids, limits, retries or messages of its own.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod/mini";

const NewPlant = z.object({
	// Accepts an id above 2^53, though rounded; z.int() would refuse it.
	id: z.number(),
	name: z.string(),
	tag: z.optional(z.string()),
});

const app = new Hono<{ Bindings: Env }>();

app.use(
	"/plants",
	bearerAuth<{ Bindings: Env }>({ verifyToken: (token, c) => token === c.env.ACCESS_TOKEN }),
);

app.post("/plants", zValidator("json", NewPlant), async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return c.json(plant);
});

export default app;
