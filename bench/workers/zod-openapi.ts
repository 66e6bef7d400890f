// @hono/zod-openapi, as its documentation writes it.
import { env } from "cloudflare:workers";
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bearerAuth } from "hono/bearer-auth";

const Plant = z.object({ name: z.string(), tag: z.string().optional() }).openapi("Plant");
const NewPlant = Plant.extend({ id: z.number().int() }).openapi("NewPlant");

const route = createRoute({
	method: "post",
	path: "/plants",
	security: [{ bearer: [] }],
	request: { body: { required: true, content: { "application/json": { schema: NewPlant } } } },
	responses: {
		200: { description: "The plant", content: { "application/json": { schema: Plant } } },
	},
});

const app = new OpenAPIHono<{ Bindings: Env }>();

app.use("/plants", bearerAuth({ token: env.ACCESS_TOKEN }));

app.openapi(route, async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return c.json(plant, 200);
});

app.doc("/openapi.json", { openapi: "3.1.0", info: { title: "Plant Store", version: "1.0.0" } });

export default app;
