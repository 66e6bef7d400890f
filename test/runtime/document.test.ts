// The service answers as the OpenAPI document declares: operations, statuses, headers, examples.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { openapi } from "../../src/openapi.ts";
import { problemsOf } from "../support/document.ts";
import { headers } from "./service.ts";

type Media = { schema: object; examples: Record<string, { value: object }> };
type Content = { "application/json": Media };
type Header = { example: unknown; required?: boolean };
type Documented = { headers?: Record<string, Header>; content: Content };
type Operation = {
	parameters?: { name: string; schema: { type: string; format?: string }; example: unknown }[];
	requestBody?: { content: Content };
	responses: Record<string, Documented | { $ref: string }>;
};
type Example = { name?: string; body: string | null };

const paths: Record<string, Record<string, Operation>> = openapi.paths;
const shared: Record<string, Documented> = openapi.components.responses;

/** Every operation of the document, with a request for each example of a body, or one without. */
const operations = Object.entries(paths).flatMap(([path, item]) =>
	Object.entries(item).map(([method, { parameters = [], requestBody, responses }]) => {
		const examples = Object.entries(requestBody?.content["application/json"].examples ?? {});
		const bodies = examples.map(([name, { value }]) => ({ name, body: JSON.stringify(value) }));
		const requests: Example[] = requestBody ? bodies : [{ body: null }];
		return { method: method.toUpperCase(), path, parameters, requests, responses };
	}),
);
type Tried = (typeof operations)[number];

/** The path of an operation, with the examples of its parameters, or with this for each int64. */
function urlOf({ path, parameters }: Tried, int64?: string): string {
	let url = path;
	for (const { name, schema, example } of parameters) {
		const value = schema.format === "int64" ? (int64 ?? example) : example;
		url = url.replace(`{${name}}`, String(value));
	}
	return url;
}

/** What an operation declares for a status; undefined if it declares nothing. */
function documentedFor({ responses }: Tried, status: number): Documented | undefined {
	const response = responses[status];
	if (!response || !("$ref" in response)) return response;
	return shared[response.$ref.replace("#/components/responses/", "")];
}

/** The examples of a response by name. */
const examplesOf = (documented?: Documented) =>
	documented?.content["application/json"].examples ?? {};

/** A KV namespace whose every operation has this outcome, and the keys that it was asked for. */
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

type Answer = { tried: Tried; status: number; received: Headers; body: { error?: number } };
const answers: Answer[] = [];

/** Sends a request to an operation, and keeps the answer. */
async function send(tried: Tried, init: RequestInit, { PLANTS = {}, url = urlOf(tried) } = {}) {
	const { method } = tried;
	const response = await app.request(url, { method, headers, ...init }, { ...env, PLANTS });
	const body = await response.json<{ error?: number }>();
	answers.push({ tried, status: response.status, received: response.headers, body });
	return { status: response.status, body };
}

/** Sends a request, and then some that are wrong in one way each, and some that the store fails. */
async function tryOut(tried: Tried, body: string | null) {
	await send(tried, { body }, env);
	await send(tried, { body, headers: {} });
	await send(tried, { body }, empty());
	await send(tried, { body }, failing("KV limit exceeded for the day."));
	await send(tried, { body }, failing("a fault of the service"));
	await send(tried, { body }, { url: urlOf(tried, "x") });
	if (body === null) return;
	await send(tried, { body: "{" });
	await send(tried, { body: "{}" });
	await send(tried, { body: " ".repeat(2 ** 20 + 1) });
	await send(tried, { body, headers: { ...headers, "Content-Type": "text/plain" } });
}

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	for (const tried of operations) {
		for (const { body } of tried.requests) await tryOut(tried, body);
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
		for (const { status, body, received } of given()) {
			const documented = documentedFor(tried, status);
			expect(Object.keys(tried.responses)).toContain(String(status));
			const schema = documented?.content["application/json"].schema ?? {};
			expect({ body, problems: problemsOf(schema, body) }).toEqual({ body, problems: [] });
			const sent = ["Retry-After", "WWW-Authenticate"].filter((header) => received.has(header));
			expect(Object.keys(documented?.headers ?? {})).toEqual(expect.arrayContaining(sent));
			for (const [header, { example, required }] of Object.entries(documented?.headers ?? {})) {
				const allowed = required ? [String(example)] : [String(example), null];
				expect(allowed).toContain(received.get(header));
			}
		}
	});
	it("has an answer for every status and example of the document", () => {
		for (const status of Object.keys(tried.responses).map(Number)) {
			expect(given().map((answer) => answer.status)).toContain(status);
			// Operations may share a response, and with it its examples.
			const documented = documentedFor(tried, status);
			const these = answers.filter((each) => documentedFor(each.tried, each.status) === documented);
			const bodies = these.map(({ body }) => body);
			for (const { value } of Object.values(examplesOf(documented))) {
				expect(bodies).toContainEqual(value);
			}
			for (const [header, { example }] of Object.entries(documented?.headers ?? {})) {
				expect(these.map(({ received }) => received.get(header))).toContain(String(example));
			}
		}
	});
	it("answers 401, 503 and, if it takes a body, 400, 413 and 415 in `error`", () => {
		const ofBody = tried.requests.every(({ body }) => body === null) ? [] : [400, 413, 415];
		const numbers = given().map(({ body }) => body.error);
		expect(numbers).toEqual(expect.arrayContaining([401, ...ofBody, 503]));
	});
	it.each(tried.requests)(
		"answers with the example of the same name: $body",
		async ({ name, body }) => {
			const examples = examplesOf(documentedFor(tried, 200));
			const expected = name === undefined ? Object.values(examples)[0] : examples[name];
			expect(await send(tried, { body }, env)).toEqual({ status: 200, body: expected?.value });
		},
	);
});

const withIds = operations.filter((tried) => urlOf(tried, "1") !== urlOf(tried, "2"));

it.each(withIds)("$method $path keeps an id above 2^53 exact", async (tried) => {
	const { keys, PLANTS } = empty();
	const url = urlOf(tried, "9007199254740993");
	for (const { body } of tried.requests) {
		await send(tried, { body }, { PLANTS, url });
		expect(new Set(keys)).toEqual(new Set(["9007199254740993"]));
	}
});

it.each(operations)("any method but those of $path is 405, with Allow", async (tried) => {
	const methods = operations.filter((each) => each.path === tried.path).map(({ method }) => method);
	// Hono answers HEAD where there is a GET.
	const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
	for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
		if (methods.includes(method)) continue;
		const response = await app.request(urlOf(tried), { method, headers }, env);
		expect({ method, status: response.status }).toEqual({ method, status: 405 });
		const allow = response.headers.get("Allow")?.split(/, */) ?? [];
		expect([methods.toSorted(), allowed.toSorted()]).toContainEqual(allow.toSorted());
	}
});

it("every number in `error` is explained, and every explained number is answered", () => {
	const { description } = openapi.components.schemas.Error.properties["error"];
	const explained = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => Number(number));
	const answered = answers.flatMap(({ body }) => body.error ?? []);
	expect([...new Set(answered)].toSorted((a, b) => a - b)).toEqual(explained);
});
