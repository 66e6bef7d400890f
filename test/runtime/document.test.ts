// The service responds as the OpenAPI document declares: routes, statuses, headers, examples.
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { openapi } from "../../src/openapi.ts";
import { MAX_BODY_BYTES } from "../../src/plant.ts";
import { problemsOf } from "../support/responses.ts";
import { accepted, create } from "./app.ts";

type Declared = { content: { "application/json": { schema: object; example: object } } };

const { requestBody, responses } = openapi.paths["/plants"].post;
const { BadRequest, Unauthorized } = openapi.components.responses;
const byStatus = { 200: responses[200], 400: BadRequest, 401: Unauthorized };
const declared = Object.entries<Declared>(byStatus);
const received: { status: string; headers: Headers; body: { error?: number } }[] = [];

/** Sends a request to the service, expects this number in `error`, and keeps the response. */
async function send(error: number | undefined, ...request: Parameters<typeof create>) {
	const response = await create(...request);
	const { status, headers } = response;
	const body = await response.json<{ error?: number }>();
	expect(body.error).toBe(error);
	received.push({ status: `${status}`, headers, body });
}

/** A KV that fails each write. */
const failing = { put: () => Promise.reject(new Error("KV put() limit exceeded for the day.")) };

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	const body = JSON.stringify(requestBody.content["application/json"].example);
	// In the order of the checks, in which the document has the numbers.
	await send(undefined, body);
	await send(401, body, {});
	await send(401, body, { ...accepted, Authorization: "Bearer another" });
	await send(415, body, { ...accepted, "Content-Type": "text/plain" });
	await send(413, body.padStart(MAX_BODY_BYTES + 1));
	await send(400, "{");
	// Neither a body nor a Content-Length.
	await send(400, null);
	await send(422, "{}");
	await send(503, body, accepted, { ...env, PLANTS: failing });
	// A bug in the service.
	await send(500, body, accepted, { ...env, PLANTS: undefined });
});

it("the routes of the app are the operations of the document, and each needs a token", async () => {
	expect(openapi.security).toEqual([{ bearer: [] }]);
	expect(requestBody.required).toBe(true);
	const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
		Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
	);
	const routes = app.routes.filter(({ method }) => method !== "ALL");
	// Hono writes :id for what is {id} in OpenAPI.
	const served = routes.map(
		({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
	);
	expect(new Set(served)).toEqual(new Set(operations));
	for (const operation of operations) {
		const [method = "", path = ""] = operation.split(" ");
		const { status } = await app.request(path, { method }, env);
		expect([operation, status]).toEqual([operation, 401]);
	}
});

it("every status is declared", () => {
	const statuses = new Set(received.map(({ status }) => status));
	expect(statuses).toEqual(new Set(Object.keys(responses)));
});

it.each(declared)("with %s, all bodies are valid, and the example is real", (status, response) => {
	const { schema, example } = response.content["application/json"];
	const bodies = received.filter((other) => other.status === status).map(({ body }) => body);
	expect(bodies.flatMap((body) => problemsOf(schema, body))).toEqual([]);
	expect(bodies, "src/openapi.ts, the example").toContainEqual(example);
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

it("every number in `error` is explained, in the order of the checks", () => {
	const { description } = BadRequest;
	const explained = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => Number(number));
	const numbers = received.flatMap(({ body }) => body.error ?? []);
	expect([401, ...explained]).toEqual([...new Set(numbers)]);
});
