// Hono with zod, zod-validator and bearerAuth, as their documentation writes it.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";

const NewPlant = z.object({
	id: z.number().int(),
	name: z.string(),
	tag: z.string().optional(),
});

const app = new Hono();

app.use("/plants", (c, next) => bearerAuth({ token: c.env.ACCESS_TOKEN })(c, next));

app.post("/plants", zValidator("json", NewPlant), async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return c.json(plant);
});

export default app;
