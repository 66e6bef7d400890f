// The app of hono-zod.ts with the smaller zod/mini, and a bearerAuth that compares the token without hashing it.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod/mini";
import { isToken } from "./token.ts";

const NewPlant = z.object({
	id: z.int(),
	name: z.string(),
	tag: z.optional(z.string()),
});

const app = new Hono<{ Bindings: Env }>();

app.use("/plants", bearerAuth({ verifyToken: isToken }));

app.post("/plants", zValidator("json", NewPlant), async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return c.json(plant);
});

export default app;
