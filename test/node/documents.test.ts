// The OpenAPI documents: tools can read them, and other documents agree with them.
import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { openapi, openapi30 } from "../../src/openapi.ts";
import { numbers } from "../support/document.ts";

const { NewPlant, Error: ErrorBody } = openapi.components.schemas;

describe.each([
	["3.1", openapi],
	["3.0", openapi30],
])("OpenAPI %s", (version, document) => {
	it("names its version, and has no error and no warning under Redocly's recommended rules", async () => {
		expect(document.openapi).toMatch(new RegExp(`^${RegExp.escape(version)}\\.`));
		const config = await createConfig({ extends: ["recommended"] });
		const problems = await lintFromString({ source: JSON.stringify(document), config });
		expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
	});
	it("has no number that a double rounds, so that no tool can change it", () => {
		expect(JSON.stringify(document).match(/\d{16,}/g)).toBeNull();
	});
});

it("every schema is an object that may have other members, and has formats rather than bounds", () => {
	for (const schema of Object.values(openapi.components.schemas)) {
		expect(schema).toMatchObject({ type: "object" });
		expect(schema).not.toHaveProperty("additionalProperties");
	}
	expect(JSON.stringify(openapi)).not.toMatch(/"(minimum|maximum)"/);
	expect(NewPlant.properties["id"]).toMatchObject({ type: "integer", format: "int64" });
	expect(ErrorBody.properties["error"]).toMatchObject({ type: "integer", format: "int32" });
	expect(ErrorBody.properties["error"].description).toContain("larger than 1 MiB");
});

const readme = readFileSync("README.md", "utf8");

describe("the document agrees with", () => {
	const members = Object.keys(NewPlant.properties);
	it("the README's list of the members of a plant", () => {
		const [list = ""] = /(^- `\w+`: .+\n)+(?=- any other)/m.exec(readme) ?? [];
		expect([...list.matchAll(/^- `(\w+)`/gm)].map(([, member]) => member)).toEqual(members);
	});
	it("the README's diagram of a create, which has neither 500 nor 404", () => {
		const [, diagram = ""] = /```mermaid\n([^`]+)```/.exec(readme) ?? [];
		const steps = [...diagram.matchAll(/<b>(\d+)<\/b>/g)].map(([, number]) => Number(number));
		expect(steps.toSorted()).toEqual(numbers.filter((number) => number !== 404 && number !== 500));
	});
	it("the format in KV in docs/design.md", () => {
		const design = readFileSync("docs/design.md", "utf8");
		const [, value = ""] = /value: `(.+?)`/.exec(design) ?? [];
		expect(Object.keys(JSON.parse(value))).toEqual(members);
	});
});
