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
const examples = Object.entries(requestBody.content["application/json"].examples);
const shared: Record<string, Declared> = openapi.components.responses;

/** The responses that the document declares, by status. */
const declared = new Map<number, Declared | undefined>(
	Object.entries(responses).map(([status, response]) => {
		const isShared = "$ref" in response;
		const name = isShared ? response.$ref.replace("#/components/responses/", "") : "";
		return [Number(status), isShared ? shared[name] : response];
	}),
);

type Answer = { status: number; received: Headers; body: { error?: number } };
const answers: Answer[] = [];

/** Sends a request to the service, and keeps the answer. */
async function send(...request: Parameters<typeof create>) {
	const response = await create(...request);
	const answer = { status: response.status, received: response.headers, body: {} };
	answer.body = await response.json();
	answers.push(answer);
	return answer;
}

/** Bindings with a KV that fails each write with this message. */
const failing = (message: string) => ({
	...env,
	PLANTS: { put: () => Promise.reject(new Error(message)) },
});

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	for (const [, { value }] of examples) {
		const body = JSON.stringify(value);
		await send(body);
		await send(body, {});
		await send(body, { ...headers, Authorization: "Bearer another" });
		await send(body, { ...headers, "Content-Type": "text/plain" });
		await send(body, headers, failing("KV limit exceeded for the day."));
		await send(body, headers, failing("a fault of the service"));
	}
	for (const body of [null, "{", "{}", " ".repeat(2 ** 20 + 1)]) await send(body);
});

it("the routes of the app are the operations of the document, and each needs a token", async () => {
	expect(openapi.security).toEqual([{ bearer: [] }]);
	const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
		Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
	);
	const routes = app.routes.filter(({ method }) => method !== "ALL");
	const routed = new Set(routes.map(({ method, path }) => `${method} ${path}`));
	expect([...routed].toSorted()).toEqual(operations.toSorted());
	for (const { method, path } of routes) {
		const { status } = await app.request(path, { method }, env);
		expect([method, path, status]).toEqual([method, path, 401]);
	}
});

it.each(examples)(
	"the request %s is answered with the example of that name",
	async (name, sent) => {
		const expected = declared.get(200)?.content["application/json"].examples[name]?.value;
		expect(await send(JSON.stringify(sent.value))).toMatchObject({ status: 200, body: expected });
	},
);

it("a body is required", async () => {
	expect(requestBody.required).toBe(true);
	expect((await send(null)).status).toBe(400);
});

it("every answer is declared, and valid", () => {
	for (const { status, body, received } of answers) {
		const response = declared.get(status);
		const schema = response?.content["application/json"].schema ?? {};
		expect(declared.keys()).toContain(status);
		expect({ status, body, problems: problemsOf(schema, body) }).toEqual({
			status,
			body,
			problems: [],
		});
		const sent = ["Retry-After", "WWW-Authenticate"].filter((header) => received.has(header));
		expect(Object.keys(response?.headers ?? {})).toEqual(expect.arrayContaining(sent));
	}
});

it.each([...declared])(
	"every example of %i is answered, and a required header always",
	(status, response) => {
		const given = answers.filter((answer) => answer.status === status);
		for (const { value } of Object.values(response?.content["application/json"].examples ?? {})) {
			expect(given.map(({ body }) => body)).toContainEqual(value);
		}
		for (const [header, { example, required }] of Object.entries(response?.headers ?? {})) {
			const values = given.map(({ received }) => received.get(header));
			expect(values).toContain(`${example}`);
			expect(required ?? false).toBe(!values.includes(null));
		}
	},
);

it("every number in `error` is explained, and every explained number is answered", () => {
	const { description } = openapi.components.schemas.Error.properties["error"];
	const explained = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => Number(number));
	const answered = answers.flatMap(({ body }) => body.error ?? []);
	expect(new Set(answered)).toEqual(new Set(explained));
});
