// The service, and the life of a request from top to bottom.
import { zValidator } from "@hono/zod-validator";
import { HTTPException } from "hono/http-exception";
import { Hono } from "hono/tiny";
import { exactJson } from "./body.ts";
import { answerFailure } from "./failure.ts";
import { NewPlant } from "./plant.ts";
import { store } from "./store.ts";
import { bearerToken } from "./token.ts";

const app = new Hono<{ Bindings: Env }>();

// To the router of hono/tiny, /plants/ is /plants as well. It is another path.
app.all("/:path{plants/}", (c) => c.notFound());

app
	.post(
		"/plants",
		bearerToken,
		exactJson,
		zValidator("json", NewPlant, (result) => {
			if (result.success) return;
			const wrong = result.error.issues.map(
				({ path, message }) => `${String(path[0] ?? "body")}: ${message}`,
			);
			throw new HTTPException(422, { message: wrong.join("; ") });
		}),
		async (c) => {
			const { id, name, tag } = c.req.valid("json");
			await store(c.env.PLANTS, { id, name, tag });
			return c.json({ name, tag }, 200);
		},
	)
	.all("/plants", (c) => {
		c.header("Allow", "POST");
		throw new HTTPException(405, {
			message: "Use POST: /plants has no other method.",
		});
	})
	.notFound(() => {
		throw new HTTPException(404, {
			message: "Use POST /plants: there is nothing else here.",
		});
	})
	.onError(answerFailure);

export default app;
