// The OpenAPI documents as other people's tools see them.

import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { describe, expect, it } from "vitest";

describe.each(["openapi.json", "openapi-3.0.json"])("%s", (name) => {
	const source = readFileSync(`dist/public/${name}`, "utf8");
	it("has no error and no warning by Redocly's recommended rules", async () => {
		const config = await createConfig({ extends: ["recommended"] });
		const problems = await lintFromString({ source, config });
		expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
	});
	it("has no error, no warning and no hint by Spectral's rules for OpenAPI", async () => {
		const linter = new spectral.Spectral();
		linter.setRuleset(new spectral.Ruleset({ extends: [[rulesets.oas, "recommended"]] }));
		const problems = await linter.run(source);
		expect(
			problems.map(({ code, message, path }) => `${code}: ${message} (${path.join(".")})`),
		).toEqual([]);
	});
	it("has no number that a double rounds, so that no tool can change it", () => {
		expect(source.match(/\d{16,}/g)).toBeNull();
	});
});
