// The OpenAPI document is valid, doesn't make tools round ids, and says what README says.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openapi } from "../../src/openapi.ts";

const { schemas } = openapi.components;
const { Plant, NewPlant } = schemas;
const readme = readFileSync("README.md", "utf8");
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

it.each(Object.entries(members))("%s is described, and listed in README", (name, member) => {
	expect(member, "src/openapi.ts").toHaveProperty("description");
	const clean = expect.stringMatching(/^[^`\n]+$/);
	expect(
		member.description,
		"src/openapi.ts: some generators fail on backticks and line breaks",
	).toEqual(clean);
	const isListed = readme.includes(`\n- \`${name}\`: `);
	expect(isListed, `README.md, Contract: a line for \`${name}\``).toBe(true);
});

it("README has the numbers in `error`, in the same order", () => {
	const { description } = openapi.components.responses.BadRequest;
	const numbers = [...description.matchAll(/^- `(\d+)`/gm)].map(([, number]) => number);
	const listed = [...readme.matchAll(/^\| (\d+) /gm)].map(([, number]) => number);
	expect(listed).toEqual(["401", ...numbers]);
});

it("README and the design have the limit of a body", () => {
	const [limit] = /\d+ KiB/.exec(openapi.components.responses.BadRequest.description) ?? [];
	expect(readme, "README.md").toContain(`Body larger than ${limit}`);
	const design = readFileSync("docs/design.md", "utf8");
	expect(design, "docs/design.md").toContain(`A body is at most ${limit}.`);
});

it("a client can rely on the required members, and may send unknown ones", () => {
	expect([Plant.required, NewPlant.required]).toEqual([["name"], ["id", "name"]]);
	const { required, properties } = schemas.Error;
	expect(required, "src/openapi.ts, schemas.Error").toEqual(Object.keys(properties));
	expect(NewPlant).not.toHaveProperty("additionalProperties");
});
