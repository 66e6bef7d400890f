// wrangler.toml: what Wrangler makes of it, and what documents rely on.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, it } from "vitest";

it("Wrangler knows each key: it would deploy without any other", () => {
	const env = { ...process.env, WRANGLER_LOG: "warn" };
	const options = { env, encoding: "utf8" } as const;
	const { status, stderr } = spawnSync("wrangler", ["deploy", "--dry-run"], options);
	expect(stderr).not.toContain("Unexpected fields");
	expect(status, stderr).toBe(0);
});

it.each([
	["SECURITY.md", { preview_urls: false }],
	["SECURITY.md", { observability: { redact_query_string: true } }],
	["docs/incidents.md", { observability: { enabled: true } }],
	["docs/operating.md", { observability: { issues: { enabled: true } } }],
])("%s relies on %j", (page, setting) => {
	const settings = parse(readFileSync("wrangler.toml", "utf8"));
	expect(settings, `Restore this in wrangler.toml, or change ${page}.`).toMatchObject(setting);
});
