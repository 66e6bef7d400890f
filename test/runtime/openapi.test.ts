// The document and the service agree.
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import app from "../../src/index.ts";
import { openapi } from "../../src/openapi.ts";
import { create } from "../support/plants.ts";

const { post } = openapi.paths["/plants"];
const { BadRequest, Unauthorized } = openapi.components.responses;

/** Whether a value is valid under a schema of the document. The range of an integer is not checked. */
function isValid(name: keyof typeof openapi.components.schemas, value: unknown): boolean {
	const schema = JSON.parse(JSON.stringify(openapi.components.schemas[name]));
	return new Validator(schema, "2020-12").validate(value).valid;
}

it("the routes of the app are the operations of the document", () => {
	const routes = app.routes
		.filter(({ method }) => method !== "ALL")
		.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
	const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
		Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
	);
	expect(operations).toEqual([...new Set(routes)]);
});

describe("every example is an answer of the service", () => {
	const plants = Object.values(post.requestBody.content["application/json"].examples);
	const answers = Object.values(post.responses[200].content["application/json"].examples);
	it.each(plants)("200: $summary", async ({ summary, value }) => {
		expect(isValid("NewPlant", value)).toBe(true);
		const answer = await create(JSON.stringify(value));
		expect(answer.status).toBe(200);
		const body = await answer.json();
		expect(body).toEqual(answers.find((example) => example.summary === summary)?.value);
		expect(isValid("Plant", body)).toBe(true);
	});
	it("401", async () => {
		const answer = await create("{}", { Authorization: undefined });
		const challenge = Unauthorized.headers["WWW-Authenticate"].example;
		expect(answer.headers.get("WWW-Authenticate")).toBe(challenge);
		const { "no-token": example } = Unauthorized.content["application/json"].examples;
		expect(await answer.json()).toEqual(example.value);
	});
	it("400, fields are wrong", async () => {
		const answer = await create('{"id":1,"tag":null}');
		const { "wrong-fields": example } = BadRequest.content["application/json"].examples;
		expect(await answer.json()).toEqual(example.value);
	});
});

describe("the service accepts what the document calls a NewPlant, and nothing else", () => {
	it.each([
		{ id: 1, name: "" },
		{ id: -1, name: "", tag: "" },
		{ id: 1, name: "", more: [] },
		{ id: 1 },
		{ name: "" },
		{ id: "1", name: "" },
		{ id: 1.5, name: "" },
		{ id: 1, name: 1 },
		{ id: 1, name: "", tag: null },
		{ id: null, name: null },
		{},
		[],
		null,
		"",
		1,
	])("%j", async (value) => {
		const answer = await create(JSON.stringify(value));
		expect(answer.status).toBe(isValid("NewPlant", value) ? 200 : 400);
		expect(isValid(answer.ok ? "Plant" : "Error", await answer.json())).toBe(true);
	});
});

it("the document explains every number in error, and has the status that comes with it", async () => {
	const { description } = openapi.components.schemas.Error.properties["error"];
	const answers = [
		await create("{"),
		await create("{}", { Authorization: undefined }),
		await create("x".repeat(2 ** 20 + 1)),
		await create("{}", { "Content-Type": "text/plain" }),
		await create("{}"),
	];
	for (const answer of answers) {
		const { error } = await answer.json<{ error: number }>();
		expect(description).toContain(`\`${error}\``);
		expect(Object.keys(post.responses)).toContain(`${answer.status}`);
	}
});
