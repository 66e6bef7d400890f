// The document and the service say the same.
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";
import { create } from "../support/plants.ts";

const { post } = openapi.paths["/plants"];

/** Whether a value is valid under a schema of the document; integers are told from numbers, not sized. */
function isValid(name: keyof typeof openapi.components.schemas, value: unknown): boolean {
	const schema = { $ref: `#/components/schemas/${name}`, components: openapi.components };
	return new Validator(JSON.parse(JSON.stringify(schema)), "2020-12").validate(value).valid;
}

const examples = (content: object) =>
	Object.values(content).flatMap(({ examples }) =>
		Object.values<{ summary: string; value: unknown }>(examples).map(
			({ summary, value }) => [summary, value] as const,
		),
	);

describe("every example is what the service answers", () => {
	const plants = new Map(examples(post.responses[200].content));
	it.each(examples(post.requestBody.content))("200: %s", async (summary, plant) => {
		expect(isValid("NewPlant", plant)).toBe(true);
		const answer = await create(JSON.stringify(plant));
		expect(answer.status).toBe(200);
		const body = await answer.json();
		expect(body).toEqual(plants.get(summary));
		expect(isValid("Plant", body)).toBe(true);
	});
	it("401", async () => {
		const [[, error] = []] = examples(post.responses[401].content);
		const answer = await create("{}", { Authorization: undefined });
		const challenge = post.responses[401].headers["WWW-Authenticate"].example;
		expect(answer.headers.get("WWW-Authenticate")).toBe(challenge);
		expect(await answer.json()).toEqual(error);
	});
	it("400, fields are wrong", async () => {
		const answer = await create('{"id":1,"tag":null}');
		const expected = new Map(examples(post.responses[400].content)).get("Fields are wrong");
		expect(await answer.json()).toEqual(expected);
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

it("every number that the service puts in error is explained, with the status it comes under", async () => {
	const { error: explained } = { ...openapi.components.schemas.Error.properties };
	const text = JSON.stringify(explained);
	const answers = [
		await create("{"),
		await create("{}", { Authorization: undefined }),
		await create("x".repeat(2 ** 20 + 1)),
		await create("{}", { "Content-Type": "text/plain" }),
		await create("{}"),
	];
	for (const answer of answers) {
		const { error } = await answer.json<{ error: number }>();
		expect(text).toContain(`\`${error}\``);
		expect(Object.keys(post.responses)).toContain(`${answer.status}`);
	}
});
