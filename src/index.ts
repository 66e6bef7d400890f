// The service, in the order of a request's steps. A step that fails throws an exception, which
// respondWithError turns into an Error.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { readJson } from "./body.ts";
import { respondWithError } from "./error.ts";
import { NewPlant } from "./plant.ts";
import { storePlant } from "./store.ts";
import { type AppEnv, checkBearerToken } from "./token.ts";

const app = new Hono<AppEnv>();

app.post(
	"/plants",
	checkBearerToken,
	readJson,
	zValidator("json", NewPlant, (result) => {
		if (result.success) return;
		// Each wrong member, and what to send: "name: a string is required; …".
		const problems = result.error.issues.map(
			({ path, message }) => `${String(path[0] ?? "body")}: ${message}`,
		);
		throw new HTTPException(422, { message: problems.join("; ") });
	}),
	async (c) => {
		const { id, ...plant } = c.req.valid("json");
		await storePlant(c.env.PLANTS, id, plant);
		return c.json(plant);
	},
);

app.all("/plants", (c) => {
	c.header("Allow", "POST");
	const message =
		"Use POST: it is the only method on /plants. If you did, a redirect may have changed the method: use the https address.";
	throw new HTTPException(405, { message });
});

app.notFound(() => {
	throw new HTTPException(404, {
		message:
			"Use POST /plants, with one slash before it and none after: it is the only operation. The page /docs describes it.",
	});
});

app.onError(respondWithError);

export default app;
