// The service answers as the OpenAPI document declares: routes, statuses, headers, examples.
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { openapi } from "../../src/openapi.ts";
import { problemsOf } from "../support/document.ts";
import { create, headers } from "./app.ts";

type Header = { example: string | number; required?: boolean };
type Media = { schema: object; examples: Record<string, { value: object }> };
type Declared = { headers?: Record<string, Header>; content: { "application/json": Media } };

const { requestBody, responses } = openapi.paths["/plants"].post;
const { BadRequest, Unauthorized } = openapi.components.responses;
const declared: [status: number, response: Declared][] = [
	[200, responses[200]],
	[400, BadRequest],
	[401, Unauthorized],
];
const requests = Object.entries(requestBody.content["application/json"].examples);
const answers: { status: number; headers: Headers; body: { error?: number } }[] = [];

/** Sends a request to the service, and keeps the answer. */
async function send(...request: Parameters<typeof create>) {
	const response = await create(...request);
	const { status, headers } = response;
	answers.push({ status, headers, body: await response.json() });
}

/** Bindings with a KV that fails each write with this message. */
const failing = (message: string) => ({
	...env,
	PLANTS: { put: () => Promise.reject(new Error(message)) },
});

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	for (const body of [null, "{", "{}", " ".repeat(2 ** 20 + 1)]) await send(body);
	const body = '{"id":1,"name":"Monstera"}';
	await send(body, {});
	await send(body, { ...headers, Authorization: "Bearer another" });
	await send(body, { ...headers, "Content-Type": "text/plain" });
	await send(body, headers, failing("KV put() limit exceeded for the day."));
	await send(body, headers, failing("a fault of the service"));
	for (const [, { value }] of requests) await send(JSON.stringify(value));
});

it("the routes of the app are the operations of the document, and each needs a token", async () => {
	expect(openapi.security).toEqual([{ bearer: [] }]);
	const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
		Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
	);
	const routes = app.routes.filter(({ method }) => method !== "ALL");
	// A path parameter is :id in Hono, and {id} in OpenAPI.
	const served = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
	expect(new Set(served)).toEqual(new Set(operations));
	for (const { method, path } of routes) {
		expect((await app.request(path, { method }, env)).status).toBe(401);
	}
});

it("a body is required, and the other responses are shared", () => {
	expect(requestBody.required).toBe(true);
	expect(responses[400].$ref).toBe("#/components/responses/BadRequest");
	expect(responses[401].$ref).toBe("#/components/responses/Unauthorized");
});

it.each(requests)("the request %s gets the answer of that name", async (name, { value }) => {
	const expected = new Map(Object.entries(responses[200].content["application/json"].examples));
	const response = await create(JSON.stringify(value));
	expect(await response.json()).toEqual(expected.get(name)?.value);
});

it("every status is declared", () => {
	const statuses = new Set(answers.map(({ status }) => status));
	expect(statuses).toEqual(new Set(Object.keys(responses).map(Number)));
});

it.each(declared)(
	"every answer with %i is valid, and every example is an answer",
	(status, response) => {
		const { schema, examples } = response.content["application/json"];
		const given = answers.filter((answer) => answer.status === status);
		for (const { body } of given) {
			expect({ body, problems: problemsOf(schema, body) }).toEqual({ body, problems: [] });
		}
		for (const { value } of Object.values(examples)) {
			expect(given.map(({ body }) => body)).toContainEqual(value);
		}
	},
);

it.each(declared)(
	"with %i, each header of a failure is declared, and required if always sent",
	(status, response) => {
		const given = answers.filter((answer) => answer.status === status);
		const sent = ["Retry-After", "WWW-Authenticate"].filter((name) =>
			given.some(({ headers }) => headers.has(name)),
		);
		expect(Object.keys(response.headers ?? {})).toEqual(sent);
		for (const [name, { example, required }] of Object.entries(response.headers ?? {})) {
			const values = given.map(({ headers }) => headers.get(name));
			expect(values).toContain(`${example}`);
			expect(required ?? false).toBe(!values.includes(null));
		}
	},
);

it("every number in `error` is explained, and every explained number is answered", () => {
	const { description } = openapi.components.schemas.Error.properties.error;
	const explained = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => Number(number));
	const answered = answers.flatMap(({ body }) => body.error ?? []);
	expect(new Set(answered)).toEqual(new Set(explained));
});
