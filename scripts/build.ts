// Builds the static files into dist/public: the page, the OpenAPI document and Swagger UI.
// Wrangler runs this before it serves or deploys (see [build] in wrangler.toml).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openapi } from "../src/openapi.ts";

const out = join(import.meta.dirname, "../dist/public");

const page = (name: string) => readFileSync(join(import.meta.dirname, "../page", name));
const swagger = (name: string) =>
	readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));

// Each file by name: whatever else is in page/ is not served.
const files = new Map([
	["_headers", page("_headers")],
	["docs.html", page("docs.html")],
	["icon.svg", page("icon.svg")],
	["page.css", page("page.css")],
	["page.js", page("page.js")],
	["openapi.json", Buffer.from(`${JSON.stringify(openapi, null, 2)}\n`)],
	["swagger-ui.css", swagger("swagger-ui.css")],
	["swagger-ui-bundle.js", swagger("swagger-ui-bundle.js")],
	["swagger-ui-bundle.js.LICENSE.txt", swagger("swagger-ui-bundle.js.LICENSE.txt")],
	["swagger-ui-license.txt", swagger("LICENSE")],
	["swagger-ui-notice.txt", swagger("NOTICE")],
]);

mkdirSync(out, { recursive: true });
for (const [name, content] of files) {
	const path = join(out, name);
	// Leaves an unchanged file alone: a running service may be reading it.
	const isCurrent = existsSync(path) && readFileSync(path).equals(content);
	if (!isCurrent) writeFileSync(path, content);
}
