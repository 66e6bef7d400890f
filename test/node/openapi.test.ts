// The OpenAPI document is valid, does not lead tools to round an id, and says what README says.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

const { Plant, NewPlant, Error } = openapi.components.schemas;
const readme = readFileSync("README.md", "utf8");

it("is valid OpenAPI, and each reference leads somewhere", async () => {
	const result = await new Validator().validate(structuredClone(openapi));
	expect(result).toEqual({ valid: true });
});

it("id is an int64 without bounds, which tools would round, and error an int32", () => {
	const description = expect.any(String);
	expect(NewPlant.properties?.["id"]).toEqual({ type: "integer", format: "int64", description });
	expect(Error.properties.error).toEqual({ type: "integer", format: "int32", description });
});

it.each(Object.entries(NewPlant.properties ?? {}))(
	"%s is described, and in README",
	(name, member) => {
		expect(member, "src/openapi.ts").toHaveProperty("description");
		expect(readme, "README.md, Contract").toContain(`\n- \`${name}\`: `);
	},
);

it("README has the numbers in `error`, in the same order", () => {
	const { description } = Error.properties.error;
	const numbers = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => number);
	const listed = [...readme.matchAll(/^\| (\d+) /gm)].map(([, number]) => number);
	expect(listed).toEqual(numbers);
});

it("a client can rely on the required members, and may send unknown ones", () => {
	const required = [Plant, NewPlant, Error].map((schema) => schema.required);
	expect(required).toEqual([["name"], ["id", "name"], ["error", "message"]]);
	expect(NewPlant).not.toHaveProperty("additionalProperties");
});
