// The service, in the order of a request's steps. A step that fails throws, and answerFailure answers.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type * as z from "zod/mini";
import { exactJson } from "./body.ts";
import { answerFailure, type AppEnv } from "./failure.ts";
import { kvKey, kvValue, NewPlant } from "./plant.ts";
import { withRetries } from "./store.ts";
import { bearerToken } from "./token.ts";

const app = new Hono<AppEnv>();

app.post(
	"/plants",
	bearerToken,
	exactJson(NewPlant),
	zValidator("json", NewPlant, (result) => {
		if (!result.success) throw new HTTPException(422, { message: problemsIn(result.error) });
	}),
	async (c) => {
		const { id, ...plant } = c.req.valid("json");
		c.set("plantId", id);
		await withRetries(() => c.env.PLANTS.put(kvKey(id), kvValue(id, plant)));
		return c.json(plant);
	},
);

app.all("/plants", (c) => {
	c.header("Allow", "POST");
	throw new HTTPException(405, { message: "Use POST: it is the only method on /plants." });
});

app.notFound((c) => {
	// If this threw, Hono would skip the part after next() in the last middleware.
	const message = "Use POST /plants: it is the only operation.";
	return answerFailure(new HTTPException(404, { message }), c);
});

app.onError(answerFailure);

/** Names each wrong field, and the value to send: `name: is required and must be a string; tag: …`. */
function problemsIn({ issues }: z.core.$ZodError): string {
	return issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
}

export default app;
