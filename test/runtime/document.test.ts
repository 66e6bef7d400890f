// Every operation, status and example in the OpenAPI document is tried: what it declares is what the service answers.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import app from "../../src/index.ts";
import { numbers, type Operation, operations, problemsOf } from "../support/document.ts";

const headers = { Authorization: `Bearer ${env.ACCESS_TOKEN}`, "Content-Type": "application/json" };

/** An answer of the service; `name` is that of the example that was sent. */
type Answer = { operation: Operation; name: string; response: Response; body: unknown };
const answers: Answer[] = [];

/** The response in the document for an answer; undefined if its status is missing there. */
const documentedFor = ({ operation, response }: Answer) => operation.responses.get(response.status);

/** A KV namespace whose every operation fails with this message. */
const failing = (message: string) =>
	new Proxy({}, { get: () => () => Promise.reject(new Error(message)) });

async function send(
	operation: Operation,
	init: RequestInit,
	{ name = "", PLANTS = env.PLANTS as unknown, url = operation.url } = {},
) {
	const { method } = operation;
	const response = await app.request(url, { method, headers, ...init }, { ...env, PLANTS });
	answers.push({ operation, name, response, body: await response.json() });
}

/** Sends the examples of an operation, and then requests that are wrong in one way each. */
async function tryOut(operation: Operation) {
	const { path, bodies } = operation;
	for (const [name, body] of bodies) {
		await send(operation, { body }, { name });
		await send(operation, { body, headers: {} });
		await send(operation, { body }, { PLANTS: failing("KV limit exceeded for the day.") });
		await send(operation, { body }, { PLANTS: failing("a fault of the service") });
		if (path.includes("{"))
			await send(operation, { body }, { url: path.replaceAll(/{\w+}/g, "x") });
		if (body === null) continue;
		await send(operation, { body: "{" });
		await send(operation, { body: "{}" });
		await send(operation, { body: " ".repeat(2 ** 20 + 1) });
		await send(operation, { body, headers: { ...headers, "Content-Type": "text/plain" } });
	}
}

beforeAll(async () => {
	vi.spyOn(console, "error").mockReturnValue();
	// In both orders, so that each operation finds the store without the plants in the examples, and with them.
	for (const ordered of [operations, operations.toReversed()]) {
		const { keys } = await env.PLANTS.list();
		for (const { name } of keys) await env.PLANTS.delete(name);
		for (const operation of ordered) await tryOut(operation);
	}
});

it("the routes of the app are the operations of the document", () => {
	const routes = app.routes
		.filter(({ method }) => method !== "ALL")
		.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
	const documented = operations.map(({ method, path }) => `${method} ${path}`);
	expect(documented.toSorted()).toEqual([...new Set(routes)].toSorted());
});

describe.each(operations)("$method $path", (operation) => {
	const given = () => answers.filter((answer) => answer.operation === operation);
	it("has examples of its body", () => {
		expect(operation.bodies.size).toBeGreaterThan(0);
	});
	it("is answered only with statuses in the document, and bodies that are valid under their schemas", () => {
		for (const answer of given()) {
			const documented = documentedFor(answer);
			expect(documented, `${answer.response.status} in the document`).toBeDefined();
			expect(problemsOf(documented?.schema ?? {}, answer.body)).toEqual([]);
		}
	});
	it.each([...operation.responses])(
		"is answered with %i, each of its examples, and its headers",
		(status, documented) => {
			expect(given().map(({ response }) => response.status)).toContain(status);
			// Operations may share a response, and with it its examples.
			const these = answers.filter((answer) => documentedFor(answer) === documented);
			const bodies = these.map(({ body }) => body);
			for (const value of documented.examples.values()) expect(bodies).toContainEqual(value);
			for (const [header, { schema, example }] of documented.headers) {
				expect(problemsOf(schema, example)).toEqual([]);
				expect(these.map(({ response }) => response.headers.get(header))).toContain(`${example}`);
			}
		},
	);
	it("is answered with 503 in `error` if KV fails", () => {
		expect(given().map(({ body }) => Object(body).error)).toContain(503);
	});
	it("answers an example of its body with the example of the same name", () => {
		for (const answer of given()) {
			const example = documentedFor(answer)?.examples.get(answer.name);
			if (example) expect(answer.body).toEqual(example);
		}
	});
});

it("every number in `error` is explained, and every explained number is answered", () => {
	const found = answers.flatMap(({ body }) => Object(body).error ?? []);
	expect([...new Set(found)].sort()).toEqual(numbers);
});
