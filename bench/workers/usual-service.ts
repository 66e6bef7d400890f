// A plant store with the same libraries, each used as its documentation shows.
import { env } from "cloudflare:workers";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod";

const NewPlant = z.object({
	id: z.number(),
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
