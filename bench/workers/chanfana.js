// chanfana on Hono, as its documentation writes it.
import { contentJson, fromHono, OpenAPIRoute } from "chanfana";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";

const Plant = z.object({ name: z.string(), tag: z.string().optional() });
const NewPlant = Plant.extend({ id: z.number().int() });

class CreatePlant extends OpenAPIRoute {
	schema = {
		request: { body: contentJson(NewPlant) },
		responses: { 200: { description: "The plant", ...contentJson(Plant) } },
	};

	async handle(c) {
		const { body } = await this.getValidatedData();
		const { id, ...plant } = body;
		await c.env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
		return c.json(plant);
	}
}

const app = new Hono();

app.use("/plants", (c, next) => bearerAuth({ token: c.env.ACCESS_TOKEN })(c, next));

fromHono(app).post("/plants", CreatePlant);

export default app;
