// The OpenAPI documents: tools can read them, and the README and docs/design.md agree with them.
import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { openapi, openapi30 } from "../../src/openapi.ts";

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

/** The rows of the table with this first header, each as its cells. */
function table(file: string, header: string): string[][] {
	const pattern = new RegExp(`^\\| ${RegExp.escape(header)} .*\\n\\|[- |]+\\n((?:\\|.+\\n)+)`, "m");
	const [, rows = ""] = pattern.exec(readFileSync(file, "utf8")) ?? [];
	return rows
		.trim()
		.split("\n")
		.map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | +\|$/g, "").trim()));
}

describe("the document agrees with", () => {
	const members = Object.keys(NewPlant.properties);
	it("the README's table of the numbers in error", () => {
		const rows = ErrorBody.properties["error"].description.matchAll(/^- `(\d+)`: (.+)$/gm);
		expect(table("README.md", "`error`")).toEqual([...rows].map(([, ...row]) => row));
	});
	it("the README's table of the members of a plant", () => {
		const rows = table("README.md", "member").map(([member]) => member);
		expect(rows).toEqual([...members.map((member) => `\`${member}\``), "any other"]);
	});
	it("the format in KV in docs/design.md", () => {
		const [, [, value = ""] = []] = table("docs/design.md", "part");
		expect(Object.keys(JSON.parse(/`(.+?)`/.exec(value)?.[1] ?? ""))).toEqual(members);
	});
});
