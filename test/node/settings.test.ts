// wrangler.toml: what Wrangler makes of it, and what the documents say of it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const toml = readFileSync("wrangler.toml", "utf8");

/** Returns the value of a top-level key in wrangler.toml. */
const setting = (key: string) => new RegExp(`^${key} = "?([^"\n]+)`, "m").exec(toml)?.[1];

it("Wrangler knows each key: it would deploy without any other", () => {
	const env = { ...process.env, WRANGLER_LOG: "warn" };
	const options = { env, encoding: "utf8" } as const;
	const { status, stderr } = spawnSync("wrangler", ["deploy", "--dry-run"], options);
	expect(stderr).not.toContain("Unexpected fields");
	expect(status, stderr).toBe(0);
});

it.each([
	["SECURITY.md", "preview_urls = false"],
	["SECURITY.md", "redact_query_string = true"],
	["docs/incidents.md", "enabled = true"],
	["docs/operating.md", "issues = { enabled = true }"],
])("%s relies on %s", (_, line) => {
	expect(toml.split("\n")).toContain(line);
});

it.each(["README.md", "docs/clients.md"])(
	"%s has the port and the token of npm run dev",
	(file) => {
		const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
		const [, token] = /ACCESS_TOKEN=(\S+)/.exec(scripts.dev) ?? [];
		const text = readFileSync(file, "utf8");
		const ports = text.match(/(?<=localhost:|(?<!-)port |instead of )\d{4}/g);
		expect(new Set(ports)).toEqual(new Set([setting("port")]));
		const tokens = text.match(/local-[a-z-]+/g);
		expect(new Set(tokens)).toEqual(new Set([token]));
	},
);

it("docs/incidents.md has the names of the namespaces, which begin with that of the Worker", () => {
	const names = "read `*-staging-plants` for `*-plants`".replaceAll("*", `${setting("name")}`);
	expect(readFileSync("docs/incidents.md", "utf8")).toContain(names);
});
