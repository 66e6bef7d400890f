// The service responds as the OpenAPI document declares: routes, statuses, headers, examples.
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { openapi } from "../../src/openapi.ts";
import { problemsOf } from "../support/responses.ts";
import { accepted, create } from "./app.ts";

type Media = { schema: object; examples: Record<string, { value: object }> };
type Declared = { content: { "application/json": Media } };

const { requestBody, responses } = openapi.paths["/plants"].post;
const { BadRequest, Unauthorized } = openapi.components.responses;
const byStatus = { 200: responses[200], 400: BadRequest, 401: Unauthorized };
const declared = Object.entries<Declared>(byStatus);
const received: { status: string; headers: Headers; body: { error?: number } }[] = [];

/** Sends a request to the service, and keeps the response. */
async function send(...request: Parameters<typeof create>) {
	const response = await create(...request);
	const { status, headers } = response;
	received.push({ status: `${status}`, headers, body: await response.json() });
}

/** A KV that fails each write. */
const failing = { put: () => Promise.reject(new Error("KV put() limit exceeded for the day.")) };

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	for (const body of [null, "{", "{}", " ".repeat(2 ** 20 + 1)]) await send(body);
	const body = '{"id":1,"name":"Monstera"}';
	await send(body, {});
	await send(body, { ...accepted, Authorization: "Bearer another" });
	await send(body, { ...accepted, "Content-Type": "text/plain" });
	await send(body, accepted, { ...env, PLANTS: failing });
	// A bug in the service.
	await send(body, accepted, { ...env, PLANTS: undefined });
	const { examples } = requestBody.content["application/json"];
	for (const { value } of Object.values(examples)) await send(JSON.stringify(value));
});

it("the routes of the app are the operations of the document, and each needs a token", async () => {
	expect(openapi.security).toEqual([{ bearer: [] }]);
	expect(requestBody.required).toBe(true);
	const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
		Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
	);
	const routes = app.routes.filter(({ method }) => method !== "ALL");
	const served = routes.map(({ method, path }) => {
		// A path parameter is :id in Hono, with or without a pattern after it, and {id} in OpenAPI.
		return `${method} ${path.replace(/:(\w+)[^/]*/g, "{$1}")}`;
	});
	expect(new Set(served)).toEqual(new Set(operations));
	for (const operation of operations) {
		const [method = "", path = ""] = operation.split(" ");
		const { status } = await app.request(path.replace(/{\w+}/g, "1"), { method }, env);
		expect([operation, status]).toEqual([operation, 401]);
	}
});

it("another method on a path of the document is 405, and Allow has the path's methods", async () => {
	for (const [path, item] of Object.entries(openapi.paths)) {
		const methods = Object.keys(item).map((method) => method.toUpperCase());
		// Hono answers HEAD wherever there is GET.
		if (methods.includes("GET")) methods.push("HEAD");
		const response = await app.request(path.replace(/{\w+}/g, "1"), { method: "OPTIONS" }, env);
		const allowed = response.headers.get("Allow")?.split(", ");
		expect([path, response.status, allowed?.sort()]).toEqual([path, 405, methods.sort()]);
	}
});

it("every status is declared", () => {
	const statuses = new Set(received.map(({ status }) => status));
	expect(statuses).toEqual(new Set(Object.keys(responses)));
});

it.each(declared)("with %s, all bodies are valid, and all examples real", (status, response) => {
	const { schema, examples } = response.content["application/json"];
	const bodies = received.filter((other) => other.status === status).map(({ body }) => body);
	expect(bodies.flatMap((body) => problemsOf(schema, body))).toEqual([]);
	for (const { value } of Object.values(examples)) {
		expect(bodies, "src/openapi.ts, an example").toContainEqual(value);
	}
});

it("Retry-After comes with 503 and the challenge with 401, as in their examples", () => {
	const retryAfter = BadRequest.headers["Retry-After"];
	const challenge = Unauthorized.headers["WWW-Authenticate"];
	for (const { headers, body } of received) {
		expect(headers.get("Retry-After")).toBe(body.error === 503 ? `${retryAfter.example}` : null);
		expect(headers.has("WWW-Authenticate")).toBe(body.error === 401);
	}
	const challenges = received.map(({ headers }) => headers.get("WWW-Authenticate"));
	expect(challenges).toContain(challenge.example);
	expect(challenge.required).toBe(true);
	for (const { schema, example } of [retryAfter, challenge]) {
		expect(problemsOf(schema, example)).toEqual([]);
	}
});

it("every number in `error` is explained, in the order of the checks, and received", () => {
	const { description } = openapi.components.schemas.Error.properties.error;
	const explained = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => Number(number));
	expect(explained).toEqual([401, 415, 413, 400, 422, 503, 500]);
	const numbers = received.flatMap(({ body }) => body.error ?? []);
	expect(new Set(numbers)).toEqual(new Set(explained));
});
