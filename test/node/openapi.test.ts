// The OpenAPI document is valid, and doesn't make tools round ids.
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

const { schemas } = openapi.components;
const { Plant, NewPlant } = schemas;
const members = { ...NewPlant.properties, ...schemas.Error.properties };

it.each(["3.1.0", "3.0.3"])(
	"is valid OpenAPI %s, and each reference leads somewhere",
	async (version) => {
		const document = { ...structuredClone(openapi), openapi: version };
		expect(await new Validator().validate(document)).toEqual({ valid: true });
	},
);

it("the operation's description is short enough for agents, some of which take 300 characters", () => {
	const { description } = openapi.paths["/plants"].post;
	expect(description.length).toBeLessThanOrEqual(300);
});

it("id is an int64 without bounds (tools would round them), and `error` is an int32", () => {
	const description = expect.any(String);
	expect(NewPlant.properties?.["id"]).toEqual({ type: "integer", format: "int64", description });
	expect(schemas.Error.properties.error).toEqual({ type: "integer", format: "int32", description });
});

it.each(Object.entries(members))("%s is described", (_, member) => {
	expect(member, "src/openapi.ts").toHaveProperty("description");
	const hint = "src/openapi.ts: some generators fail on backticks and line breaks";
	expect(member.description, hint).toMatch(/^[^`\n]+$/);
});

it("a client can rely on the required members, and may send unknown ones", () => {
	expect([Plant.required, NewPlant.required]).toEqual([["name"], ["id", "name"]]);
	const { required, properties } = schemas.Error;
	expect(required, "src/openapi.ts, schemas.Error").toEqual(Object.keys(properties));
	expect(NewPlant).not.toHaveProperty("additionalProperties");
});
