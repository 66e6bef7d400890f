// What the OpenAPI document declares is what the service answers: every operation, status, header and example.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { openapi } from "../../src/openapi.ts";
import { problemsOf } from "../support/document.ts";
import { headers } from "./service.ts";

type Content = {
	"application/json": { schema: object; examples: Record<string, { value: object }> };
};
type Documented = { headers?: Record<string, { example: unknown }>; content: Content };
type Operation = {
	parameters?: { name: string; schema: { format?: string }; example: unknown }[];
	requestBody?: { content: Content };
	responses: Record<string, Documented | { $ref: string }>;
};

const paths: Record<string, Record<string, Operation>> = openapi.paths;
const shared: Record<string, Documented> = openapi.components.responses;

/** Every operation of the document, its path filled in with the examples of its parameters. */
const operations = Object.entries(paths).flatMap(([path, item]) =>
	Object.entries(item).map(([method, operation]) => {
		const { parameters = [], requestBody } = operation;
		/** The path with a value for each of its parameters. */
		const fill = (value: (parameter: (typeof parameters)[number]) => unknown) =>
			parameters.reduce((url, each) => url.replace(`{${each.name}}`, String(value(each))), path);
		const url = fill(({ example }) => example);
		const bodies = Object.entries(requestBody?.content["application/json"].examples ?? {});
		return { method: method.toUpperCase(), path, url, fill, parameters, bodies, operation };
	}),
);
type Tried = (typeof operations)[number];

/** The response that an operation declares for a status; undefined if it declares none. */
function documentedFor({ operation }: Tried, status: number): Documented | undefined {
	const response = operation.responses[status];
	return response && "$ref" in response
		? shared[response.$ref.replace("#/components/responses/", "")]
		: response;
}

/** A namespace whose every operation has this outcome, and the keys that it was asked for. */
function namespace(outcome: () => Promise<unknown>) {
	const keys: unknown[] = [];
	const operate = (key: unknown) => {
		keys.push(key);
		return outcome();
	};
	return { keys, PLANTS: new Proxy({}, { get: () => operate }) };
}
const empty = () => namespace(async () => null);
const failing = (message: string) => namespace(() => Promise.reject(new Error(message)));

/** An answer of the service, and the operation that was tried. */
type Answer = { tried: Tried; status: number; headers: Headers; body: { error?: number } };
const answers: Answer[] = [];

async function send(tried: Tried, init: RequestInit, bindings: object = env, url = tried.url) {
	const given = { method: tried.method, headers, ...init };
	const response = await app.request(url, given, bindings);
	const answer = { tried, status: response.status, headers: response.headers };
	const body = await response.json<{ error?: number }>();
	answers.push({ ...answer, body });
	return { status: response.status, body };
}

/** The requests of an operation that its document has an example for: one without a body, if it takes none. */
function requestsOf({ bodies }: Tried) {
	if (bodies.length === 0) return [{ name: undefined, body: null }];
	return bodies.map(([name, { value }]) => ({ name, body: JSON.stringify(value) }));
}

/** Sends requests that are wrong in one way each, and ones that the store fails. */
async function fail(tried: Tried, body: string | null) {
	await send(tried, { body, headers: {} });
	for (const store of [empty(), failing("KV limit exceeded."), failing("a fault")]) {
		await send(tried, { body }, { ...env, PLANTS: store.PLANTS });
	}
	if (tried.parameters.length > 0)
		await send(
			tried,
			{ body },
			env,
			tried.fill(() => "x"),
		);
	if (body === null) return;
	await send(tried, { body: "{" });
	await send(tried, { body: "{}" });
	await send(tried, { body: " ".repeat(2 ** 20 + 1) });
	await send(tried, { body, headers: { ...headers, "Content-Type": "text/plain" } });
}

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	for (const tried of operations) {
		for (const { body } of requestsOf(tried)) {
			await send(tried, { body });
			await fail(tried, body);
		}
	}
});

it("the routes of the app are the operations of the document", () => {
	const routes = app.routes
		.filter(({ method }) => method !== "ALL")
		.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{.+?\})?/g, "{$1}")}`);
	const documented = operations.map(({ method, path }) => `${method} ${path}`);
	expect([...new Set(routes)].toSorted()).toEqual(documented.toSorted());
});

describe.each(operations)("$method $path", (tried) => {
	const given = () => answers.filter((answer) => answer.tried === tried);
	it("has only answers that the document declares, with their headers", () => {
		for (const { status, body, headers } of given()) {
			const documented = documentedFor(tried, status);
			const schema = documented?.content["application/json"].schema ?? {};
			expect({ status, body, declared: Boolean(documented) }).toMatchObject({ declared: true });
			expect({ body, problems: problemsOf(schema, body) }).toEqual({ body, problems: [] });
			for (const [header, { example }] of Object.entries(documented?.headers ?? {})) {
				expect([null, String(example)]).toContain(headers.get(header));
			}
		}
	});
	it("is answered with every status of the document, and with 503 in `error` if KV fails", () => {
		const statuses = Object.keys(tried.operation.responses).map(Number);
		expect([...new Set(given().map(({ status }) => status))].toSorted()).toEqual(statuses);
		expect(given().map(({ body }) => body.error)).toContain(503);
	});
	it("is answered with every example of its responses, which other operations may share", () => {
		for (const status of Object.keys(tried.operation.responses)) {
			const documented = documentedFor(tried, Number(status));
			const these = answers.filter((each) => documentedFor(each.tried, each.status) === documented);
			const bodies = these.map(({ body }) => body);
			const { examples = {} } = documented?.content["application/json"] ?? {};
			for (const { value } of Object.values(examples)) expect(bodies).toContainEqual(value);
		}
	});
	it("needs the bearer token", async () => {
		for (const { body } of requestsOf(tried)) {
			expect(await send(tried, { body, headers: {} })).toMatchObject({ status: 401 });
		}
	});
	it("answers each example of its body with the example of that name", async () => {
		const examples = documentedFor(tried, 200)?.content["application/json"].examples ?? {};
		for (const { name, body } of requestsOf(tried)) {
			const answer = await send(tried, { body });
			const expected = name === undefined ? Object.values(examples)[0] : examples[name];
			expect(answer).toEqual({ status: 200, body: expected?.value });
		}
	});
});

const withId = operations.filter(({ parameters }) =>
	parameters.some(({ schema }) => schema.format === "int64"),
);

it.each(withId)("$method $path keeps an id above 2^53 exact", async (tried) => {
	for (const { body } of requestsOf(tried)) {
		const { keys, PLANTS } = empty();
		const url = tried.fill(({ schema, example }) =>
			schema.format === "int64" ? "9007199254740993" : example,
		);
		await send(tried, { body }, { ...env, PLANTS }, url);
		expect(keys).toEqual(["9007199254740993"]);
	}
});

it.each(Object.entries(paths))("any other method on %s is 405, with Allow", async (path, item) => {
	const url = operations.find((operation) => operation.path === path)?.url ?? path;
	const methods = Object.keys(item).map((method) => method.toUpperCase());
	// Hono answers HEAD where there is a GET.
	const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
	for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
		if (methods.includes(method)) continue;
		const response = await app.request(url, { method, headers }, env);
		expect({ method, status: response.status }).toEqual({ method, status: 405 });
		const allow = response.headers.get("Allow")?.split(/, */) ?? [];
		expect([methods.toSorted(), allowed.toSorted()]).toContainEqual(allow.toSorted());
	}
});

it("every number in `error` is explained, and every explained number is answered", () => {
	const { description } = openapi.components.schemas.Error.properties["error"];
	const explained = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => Number(number));
	const answered = answers.flatMap(({ body }) => body.error ?? []);
	expect([...new Set(answered)].toSorted()).toEqual(explained);
});
