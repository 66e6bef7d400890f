// The OpenAPI documents: tools can read them, and other places agree with them.
import { readdirSync, readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { openapi, openapi30 } from "../../src/openapi.ts";

describe.each([
	["3.1", openapi],
	["3.0", openapi30],
])("OpenAPI %s", (_, document) => {
	const { schemas, responses } = document.components;
	const { post } = document.paths["/plants"];
	it("has no error and no warning under Redocly's recommended rules", async () => {
		const config = await createConfig({ extends: ["recommended"] });
		const problems = await lintFromString({ source: JSON.stringify(document), config });
		expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
	});
	it("has NewPlant as one object, its id an int64", () => {
		expect(schemas.NewPlant).toEqual({
			type: "object",
			description: expect.any(String),
			properties: {
				id: { type: "integer", format: "int64", description: expect.any(String) },
				name: { type: "string", description: expect.any(String) },
				tag: { type: "string", description: expect.any(String) },
			},
			required: ["id", "name"],
		});
	});
	it("has Plant with the same name and tag, and no id", () => {
		const { name, tag } = schemas.NewPlant.properties;
		expect(schemas.Plant).toMatchObject({ type: "object", required: ["name"] });
		expect(schemas.Plant.properties).toEqual({ name, tag });
	});
	it("has Error with an int32 and a message, both required", () => {
		expect(schemas.Error).toMatchObject({ type: "object", required: ["error", "message"] });
		expect(schemas.Error.properties).toMatchObject({
			error: { type: "integer", format: "int32" },
			message: { type: "string" },
		});
	});
	it("has one operation, with an operationId, a tag and a bearer token", () => {
		expect(Object.keys(document.paths)).toEqual(["/plants"]);
		expect(Object.keys(document.paths["/plants"])).toEqual(["post"]);
		expect(post).toMatchObject({ operationId: "createPlant", tags: ["plants"] });
		expect(document.tags.map(({ name }) => name)).toEqual(["plants"]);
		expect(document.security).toEqual([{ bearer: [] }]);
		expect(document.components.securitySchemes.bearer).toMatchObject({
			type: "http",
			scheme: "bearer",
		});
	});
	it("takes a NewPlant, and answers a Plant or, by reference, an Error", () => {
		const schema = (name: string) => ({
			"application/json": { schema: { $ref: `#/components/schemas/${name}` } },
		});
		expect(post.requestBody).toMatchObject({ required: true, content: schema("NewPlant") });
		expect(Object.keys(post.responses)).toEqual(["200", "400", "401"]);
		expect(post.responses).toMatchObject({
			200: { content: schema("Plant") },
			400: { $ref: "#/components/responses/BadRequest" },
			401: { $ref: "#/components/responses/Unauthorized" },
		});
		expect(responses.BadRequest.content).toMatchObject(schema("Error"));
		expect(responses.Unauthorized.content).toMatchObject(schema("Error"));
	});
	it("has no number that a double rounds, so that no tool can change it", () => {
		expect(JSON.stringify(document).match(/\d{16,}/g)).toBeNull();
	});
});

it("the 3.0 document is the 3.1 document, without the members that 3.0 does not have", () => {
	const { summary, license, ...info } = openapi.info;
	expect(openapi30).toEqual({
		...openapi,
		openapi: expect.stringMatching(/^3\.0\.\d$/),
		info: { ...info, license: { name: license.name, url: expect.stringMatching(/^https:/) } },
	});
	expect(summary).toBeTruthy();
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
	const { NewPlant, Error: ErrorBody } = openapi.components.schemas;
	const { description } = ErrorBody.properties["error"];
	const errors = [...description.matchAll(/^- `(\d+)`: (.+)$/gm)].map(([, ...row]) => row);
	const members = Object.keys(NewPlant.properties);
	it("the README's table of the numbers in error", () => {
		expect(table("README.md", "`error`")).toEqual(errors);
	});
	it("the README's table of the members of a plant", () => {
		const rows = table("README.md", "member").map(([member]) => member);
		expect(rows).toEqual([...members.map((member) => `\`${member}\``), "any other"]);
	});
	it("the format in KV in docs/design.md", () => {
		const [, [, value = ""] = []] = table("docs/design.md", "part");
		expect(Object.keys(JSON.parse(/`(.+?)`/.exec(value)?.[1] ?? ""))).toEqual(members);
	});
	it("the numbers in src, where 404 and 405 are outside the operation", () => {
		const source = readdirSync("src").map((name) => readFileSync(`src/${name}`, "utf8"));
		const numbers = source.join().matchAll(/new HTTPException\((\d+)/g);
		const known = ["404", "405", ...errors.map(([number]) => number)];
		expect([...new Set([...numbers].map(([, number]) => number))].sort()).toEqual(known.sort());
	});
});
