// chanfana on Hono, as its documentation writes it.
import { env } from "cloudflare:workers";
import { contentJson, fromHono, OpenAPIRoute } from "chanfana";
import { type Context, Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";

const Plant = z.object({ name: z.string(), tag: z.string().optional() });
const NewPlant = Plant.extend({ id: z.number().int() });

class CreatePlant extends OpenAPIRoute {
	override schema = {
		request: { body: contentJson(NewPlant) },
		responses: { 200: { description: "The plant", ...contentJson(Plant) } },
	};

	override async handle(c: Context<{ Bindings: Env }>) {
		const { body } = await this.getValidatedData();
		const { id, ...plant } = body;
		await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
		return c.json(plant);
	}
}

const app = new Hono<{ Bindings: Env }>();

app.use("/plants", bearerAuth({ token: env.ACCESS_TOKEN }));

fromHono(app).post("/plants", CreatePlant);

export default app;
