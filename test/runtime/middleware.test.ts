// Hono's own middleware, added above the routes of src/index.ts.
import { env } from "cloudflare:workers";
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { setCookie } from "hono/cookie";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import { describe, expect, it, vi } from "vitest";
import { answerFailure } from "../../src/failure.ts";
import app from "../../src/index.ts";
import { expectError } from "../support/answers.ts";
import { headers } from "./service.ts";

const body = '{"id":9007199254740993,"name":"Monstera"}';

/** Sends a body to the service with middleware above its routes. */
async function post(
	middleware: MiddlewareHandler | MiddlewareHandler[],
	content: BodyInit | null = body,
	given: Record<string, string> = headers,
) {
	const service = new Hono()
		.onError(answerFailure)
		.use(...[middleware].flat())
		.route("/", app);
	return service.request("/plants", { method: "POST", headers: given, body: content }, env);
}

const readBefore: MiddlewareHandler = async (c, next) => {
	await c.req.text();
	await next();
};

describe.each([
	[200, body, headers],
	[400, '{"id":1}', headers],
	[401, body, {}],
] as const)("on %i", (status, content, given) => {
	it("headers and cookies that middleware has set are there, once", async () => {
		const cookie: MiddlewareHandler = async (c, next) => {
			setCookie(c, "seen", "yes");
			await next();
		};
		const answer = await post([requestId(), cookie], content, given);
		expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, ["seen=yes; Path=/"]]);
		expect(answer.headers.has("X-Request-Id")).toBe(true);
	});
	it("a reader of the body changes nothing, with and without a Content-Length", async () => {
		const declared = { ...given, "Content-Length": `${content.length}` };
		expect((await post(readBefore, content, declared)).status).toBe(status);
		expect((await post(readBefore, new Response(content).body, given)).status).toBe(status);
	});
});

it("a body over 1 MiB that was read before is 413", async () => {
	const tooLarge = new Response(`"${"x".repeat(2 ** 20)}"`).body;
	await expectError(await post(readBefore, tooLarge), 413, /bytes/);
});

describe("an HTTPException without a response is answered with an Error", () => {
	it.each([
		[403, "Ask for access.", "Ask for access."],
		[418, "", "The request failed."],
		[502, "A gateway failed.", "A gateway failed."],
	] as const)("%i, %j", async (number, message, answered) => {
		vi.spyOn(console, "error").mockReturnValue();
		const answer = await post(() => Promise.reject(new HTTPException(number, { message })));
		await expectError(answer, number, new RegExp(`^${answered}$`));
		expect(answer.headers.has("Retry-After")).toBe(false);
	});
});

it("an HTTPException is answered with its own response and, as in Hono, its own status", async () => {
	const tooLarge = await post([requestId(), bodyLimit({ maxSize: 10 })]);
	expect([tooLarge.status, await tooLarge.text()]).toEqual([413, "Payload Too Large"]);
	expect(tooLarge.headers.has("X-Request-Id")).toBe(true);
	const own = new HTTPException(429, { res: new Response("slow down") });
	expect((await post(() => Promise.reject(own))).status).toBe(429);
});

it("middleware below the operation runs for unknown paths, before and after their answer", async () => {
	// An app of its own, because Hono refuses more middleware once an app has answered.
	vi.resetModules();
	const { default: own } = await import("../../src/index.ts");
	own.use(async (c, next) => {
		c.header("X-Below", "yes");
		await next();
		c.header("X-After", "yes");
	});
	const unknown = await own.request("/nope", {}, env);
	expect(unknown.status).toBe(404);
	expect(Object.fromEntries(unknown.headers)).toMatchObject({ "x-below": "yes", "x-after": "yes" });
});
