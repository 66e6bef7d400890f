// The service, in the order of a request's steps. A step that fails throws, and answerFailure answers.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { exactJson } from "./body.ts";
import { answerFailure } from "./failure.ts";
import { NewPlant } from "./plant.ts";
import { store } from "./store.ts";
import { bearerToken } from "./token.ts";

const app = new Hono<{ Bindings: Env }>();

app.post(
	"/plants",
	bearerToken,
	exactJson,
	zValidator("json", NewPlant, (result) => {
		if (result.success) return;
		const problems = result.error.issues.map(
			({ path: [field = "body"], message }) => `${String(field)}: ${message}`,
		);
		throw new HTTPException(422, { message: problems.join("; ") });
	}),
	async (c) => {
		const { id, ...plant } = c.req.valid("json");
		await store(c.env.PLANTS, id, plant);
		return c.json(plant);
	},
);

app.all("/plants", (c) => {
	c.header("Allow", "POST");
	throw new HTTPException(405, { message: "Use POST: it is the only method on /plants." });
});

app.notFound(async (c) => {
	// Outside the operation there are only static files: the reference page and the OpenAPI documents.
	if (c.req.method === "GET" || c.req.method === "HEAD") {
		const file = await c.env.ASSETS.fetch(c.req.raw);
		if (file.status !== 404) return c.newResponse(file.body, file);
	}
	// If this threw, Hono would skip the part after next() in the last middleware.
	const message = "Use POST /plants: it is the only operation.";
	return answerFailure(new HTTPException(404, { message }), c);
});

app.onError(answerFailure);

export default app;
