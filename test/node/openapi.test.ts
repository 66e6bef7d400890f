// The OpenAPI documents: tools can read them, and the README and docs/design.md agree with them.
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
	it("has the same operations, schemas and responses as the other", () => {
		const { paths, components, security } = openapi;
		expect(document).toMatchObject({ paths, components, security });
	});
});

it("an id is an int64, and the number in `error` an int32, for generators", () => {
	expect(NewPlant.properties["id"]).toMatchObject({ type: "integer", format: "int64" });
	expect(ErrorBody.properties["error"]).toMatchObject({ type: "integer", format: "int32" });
});

describe("the document agrees with", () => {
	const members = Object.keys(NewPlant.properties);
	const readme = readFileSync("README.md", "utf8");
	it("the README's list of the members of a plant", () => {
		const [list = ""] = /(^- `\w+`: .+\n)+(?=- any other)/m.exec(readme) ?? [];
		expect([...list.matchAll(/^- `(\w+)`/gm)].map(([, member]) => member)).toEqual(members);
	});
	it("the README's diagram of a request, but for 500, which no step has", () => {
		const [, diagram = ""] = /```mermaid\n([^`]+)```/.exec(readme) ?? [];
		const steps = [...diagram.matchAll(/<b>(\d+)<\/b>/g)].map(([, number]) => Number(number));
		expect([...steps, 500].sort()).toEqual(numbers);
	});
	it("the format in KV in docs/design.md", () => {
		const design = readFileSync("docs/design.md", "utf8");
		const [, value = ""] = /value: `(.+?)`/.exec(design) ?? [];
		expect(Object.keys(JSON.parse(value))).toEqual(members);
	});
});
