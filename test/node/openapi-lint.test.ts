// The OpenAPI document can be read by tools, and does not lead them to round an id.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

it("has no error and no warning under Redocly's recommended rules", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: JSON.stringify(openapi), config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it("id and error have formats in place of bounds", () => {
	const { NewPlant, Error: ErrorBody } = openapi.components.schemas;
	const description = expect.any(String);
	expect(NewPlant.properties["id"]).toEqual({ type: "integer", format: "int64", description });
	expect(ErrorBody.properties["error"]).toEqual({ type: "integer", format: "int32", description });
});

it.each([
	["Plant", ["name"]],
	["NewPlant", ["id", "name"]],
	["Error", ["error", "message"]],
] as const)("%s requires %j, and allows unknown members", (name, required) => {
	const schema = openapi.components.schemas[name];
	expect(schema).toMatchObject({ type: "object", required });
	expect(schema).not.toHaveProperty("additionalProperties");
});
