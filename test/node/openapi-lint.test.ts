// The OpenAPI document can be read by tools, and does not lead them to round an id.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

it("has no error and no warning under Redocly's recommended rules", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: JSON.stringify(openapi), config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it("id is an int64 without bounds, which tools would round, and error an int32", () => {
	const { NewPlant, Error } = openapi.components.schemas;
	const description = expect.any(String);
	expect(NewPlant.properties?.["id"]).toEqual({ type: "integer", format: "int64", description });
	expect(Error.properties.error).toEqual({ type: "integer", format: "int32", description });
});

describe.each([
	["Plant", ["name"]],
	["NewPlant", ["id", "name"]],
	["Error", ["error", "message"]],
] as const)("%s", (name, required) => {
	const schema = openapi.components.schemas[name];
	const description = expect.any(String);
	it("requires the members that a client can rely on, and allows unknown ones", () => {
		expect(schema).toMatchObject({ type: "object", required, description });
		expect(schema).not.toHaveProperty("additionalProperties");
	});
	it.each(Object.entries(schema.properties ?? {}))("describes its member %s", (_, member) => {
		expect(member).toMatchObject({ description });
	});
});
