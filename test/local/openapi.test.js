// The document as other people's tools see it.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";
import { document } from "../../src/openapi.ts";

it("has no error and no warning by Redocly's recommended rules", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: JSON.stringify(document), config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it("has no number that a double rounds, so that no tool can change it", () => {
	const text = JSON.stringify(document);
	expect(text.match(/\d{16,}/g)).toBeNull();
});
