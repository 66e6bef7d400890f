// Hono's own middleware, added above the routes of src/index.ts.
import { env } from "cloudflare:workers";
import { Hono, type MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { describe, expect, it, vi } from "vitest";
import { answerFailure } from "../../src/failure.ts";
import app from "../../src/index.ts";
import { expectError } from "../support/plants.ts";

const authorized = { Authorization: `Bearer ${env.ACCESS_TOKEN}` };
const body = '{"id":9007199254740993,"name":"Monstera"}';

/** Sends a body to the service with middleware above its routes. */
async function post(
	middleware: MiddlewareHandler | MiddlewareHandler[],
	content: RequestInit["body"],
	headers: Record<string, string> = authorized,
) {
	const service = new Hono<{ Bindings: Env }>().onError(answerFailure).use(...[middleware].flat());
	return service.route("/", app).request(
		"/plants",
		{
			method: "POST",
			headers: { "Content-Type": "application/json", ...headers },
			body: content ?? null,
		},
		env,
	);
}

/** The same text as a stream, so that its length is not declared. */
const streamed = (text: string) => new Response(text).body;

const readBefore: MiddlewareHandler = async (c, next) => {
	await c.req.text();
	await next();
};
const readAfter: MiddlewareHandler = async (c, next) => {
	await next();
	c.header("X-Body", await c.req.text());
};

describe.each([
	[200, body, authorized],
	[400, '{"id":1}', authorized],
	[401, body, {}],
] as const)("on %i", (status, content, headers) => {
	it("requestId() sets its header", async () => {
		const answer = await post(requestId(), content, headers);
		expect([answer.status, answer.headers.has("X-Request-Id")]).toEqual([status, true]);
	});
	it("secureHeaders() sets its headers", async () => {
		const answer = await post(secureHeaders(), content, headers);
		const nosniff = answer.headers.get("X-Content-Type-Options");
		expect([answer.status, nosniff]).toEqual([status, "nosniff"]);
	});
	it.each([
		["bodyLimit()", bodyLimit({ maxSize: 100 })],
		["a reader of the body before the service", readBefore],
		["a reader of the body after the service", readAfter],
	])("%s changes nothing, with and without a Content-Length", async (_, middleware) => {
		const declared = { "Content-Length": `${content.length}`, ...headers };
		expect((await post(middleware, content, declared)).status).toBe(status);
		expect((await post(middleware, streamed(content), headers)).status).toBe(status);
	});
});

it("a plant whose body was read before is stored, its id exact", async () => {
	await env.PLANTS.delete("9007199254740993");
	await post(readBefore, streamed(body));
	expect(await env.PLANTS.get("9007199254740993")).toBe(body);
});

it("a body over 1 MiB that was read before is 413", async () => {
	const answer = await post(readBefore, streamed(`"${"x".repeat(2 ** 20)}"`));
	expect(await answer.text()).toContain('"error":413');
});

describe("an HTTPException without a response is answered with an Error", () => {
	it.each([
		[403, "Ask for access."],
		[502, "A gateway failed."],
	] as const)("%i", async (number, message) => {
		vi.spyOn(console, "error").mockReturnValue();
		const answer = await post(() => Promise.reject(new HTTPException(number, { message })), body);
		await expectError(answer, number, new RegExp(`^${message}$`));
		expect(answer.headers.has("Retry-After")).toBe(false);
	});
	it("whose message is never empty", async () => {
		const answer = await post(() => Promise.reject(new HTTPException(418)), body);
		await expectError(answer, 418, /^The request failed\.$/);
	});
});

it("an HTTPException is answered with its own response, if it has one, and the headers so far", async () => {
	const tooLarge = await post([requestId(), bodyLimit({ maxSize: 10 })], body);
	expect(tooLarge.headers.has("X-Request-Id")).toBe(true);
	expect([tooLarge.status, await tooLarge.text()]).toEqual([413, "Payload Too Large"]);
	const refused = await post(bearerAuth({ token: "another" }), body);
	expect([refused.status, await refused.text()]).toEqual([401, "Unauthorized"]);
	expect(refused.headers.get("WWW-Authenticate")).toContain("invalid_token");
	// As in Hono, the status is the exception's.
	const own = new HTTPException(429, { res: new Response("slow down") });
	expect((await post(() => Promise.reject(own), body)).status).toBe(429);
});

it("middleware below the operation runs for unknown paths, and not for the operation", async () => {
	// An app of its own, because Hono refuses more middleware once an app has answered.
	vi.resetModules();
	const { default: own } = await import("../../src/index.ts");
	own.use(async (c, next) => {
		c.header("X-Below", "yes");
		await next();
		c.header("X-After", "yes");
	});
	const answer = await own.request("/plants", { method: "POST", headers: authorized, body }, env);
	expect(answer.headers.has("X-Below")).toBe(false);
	const unknown = await own.request("/nope", {}, env);
	expect([unknown.status, unknown.headers.has("X-Below")]).toEqual([404, true]);
	expect(unknown.headers.has("X-After")).toBe(true);
});
