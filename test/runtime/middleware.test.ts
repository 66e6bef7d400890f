// Middleware that somebody adds to the app, such as a rate limit, is run: no path of it is left out.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, it } from "vitest";
import app from "../../src/index.ts";

const headers = { Authorization: `Bearer ${env.ACCESS_TOKEN}`, "Content-Type": "application/json" };
const body = '{"id":1,"name":"Monstera"}';

it.each(["*", "/plants", "/:first"])("in front of the operation, on %s", async (path) => {
	const guarded = new Hono().use(path, async (c) => c.text("denied", 403)).route("/", app);
	const answer = await guarded.request("/plants", { method: "POST", headers, body }, env);
	expect(answer.status).toBe(403);
	expect(await env.PLANTS.get("1")).toBeNull();
});

// Hono takes no more middleware once the app has answered, so this stands last.
it("behind the operation, on the app itself", async () => {
	app.use(async (c, next) => {
		await next();
		c.header("X-Seen", "yes");
	});
	const answer = await app.request("/openapi.json", {}, env);
	expect([answer.status, answer.headers.get("X-Seen")]).toEqual([200, "yes"]);
});
