// The OpenAPI document can be read by tools, and does not lead them to round an id.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

const { Plant, NewPlant, Error } = openapi.components.schemas;

it("has no error and no warning under Redocly's recommended rules", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: JSON.stringify(openapi), config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it("id is an int64 without bounds, which tools would round, and error an int32", () => {
	const description = expect.any(String);
	expect(NewPlant.properties?.["id"]).toEqual({ type: "integer", format: "int64", description });
	expect(Error.properties.error).toEqual({ type: "integer", format: "int32", description });
});

it.each(Object.entries(Plant.properties ?? {}))("%s is any string, and described", (_, member) => {
	expect(member).toEqual({ type: "string", description: expect.any(String) });
});

it("a client can rely on the required members, and may send unknown ones", () => {
	const required = [Plant, NewPlant, Error].map((schema) => schema.required);
	expect(required).toEqual([["name"], ["id", "name"], ["error", "message"]]);
	expect(NewPlant).not.toHaveProperty("additionalProperties");
});
