// Hono with zod, zod-validator and bearerAuth, as in their documentation.
import { env } from "cloudflare:workers";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod";

const NewPlant = z.object({
	id: z.int(),
	name: z.string(),
	tag: z.string().optional(),
});

const app = new Hono<{ Bindings: Env }>();

app.use("/plants", bearerAuth({ token: env.ACCESS_TOKEN }));

app.post("/plants", zValidator("json", NewPlant), async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return c.json(plant);
});

export default app;
