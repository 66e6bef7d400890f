// The OpenAPI document can be read by tools, and does not lead them to round an id.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

it("has no error and no warning under Redocly's recommended rules", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: JSON.stringify(openapi), config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it("id is an int64 without bounds, which tools would round", () => {
	const { NewPlant } = openapi.components.schemas;
	const description = expect.any(String);
	expect(NewPlant.properties?.["id"]).toEqual({ type: "integer", format: "int64", description });
});

it.each([
	["Plant", ["name"]],
	["NewPlant", ["id", "name"]],
	["Error", ["error", "message"]],
] as const)("%s requires %j, allows unknown members, and describes the known", (name, required) => {
	const schema = openapi.components.schemas[name];
	const description = expect.any(String);
	expect(schema).toMatchObject({ type: "object", required, description });
	expect(schema).not.toHaveProperty("additionalProperties");
	for (const member of Object.values(schema.properties ?? {})) {
		expect(member).toMatchObject({ description });
	}
});
