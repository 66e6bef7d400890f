// The documents as other people's tools see it.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { openapi, openapi30 } from "../../src/openapi.ts";

describe.each([openapi, openapi30])("OpenAPI $openapi", (document) => {
	it("has no error and no warning by Redocly's recommended rules", async () => {
		const config = await createConfig({ extends: ["recommended"] });
		const problems = await lintFromString({ source: JSON.stringify(document), config });
		expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
	});
	it("has no number that a double rounds, so that no tool can change it", () => {
		expect(JSON.stringify(document).match(/\d{16,}/g)).toBeNull();
	});
});
