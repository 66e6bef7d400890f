// Builds the static files into dist/public: the page, the OpenAPI documents and Swagger UI.
// Wrangler runs this before it serves or deploys (see [build] in wrangler.toml).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openapi, openapi30 } from "../src/openapi.ts";

const page = join(import.meta.dirname, "../page");
const out = join(import.meta.dirname, "../dist/public");

const json = (document: object) => Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
const swagger = (name: string) =>
	readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));

const files = new Map([
	["openapi.json", json(openapi)],
	["openapi-3.0.json", json(openapi30)],
	["swagger-ui.css", swagger("swagger-ui.css")],
	["swagger-ui-bundle.js", swagger("swagger-ui-bundle.js")],
]);
for (const name of readdirSync(page)) {
	files.set(name, readFileSync(join(page, name)));
}

mkdirSync(out, { recursive: true });
for (const entry of readdirSync(out, { withFileTypes: true })) {
	if (entry.isFile() && !files.has(entry.name)) rmSync(join(out, entry.name), { force: true });
}
for (const [name, content] of files) {
	const path = join(out, name);
	// Leaves an unchanged file alone: a running service may be reading it.
	const isBuilt = existsSync(path) && readFileSync(path).equals(content);
	if (!isBuilt) writeFileSync(path, content);
}
