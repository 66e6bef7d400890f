// Builds the static files: the page, the OpenAPI documents and Swagger UI. Wrangler runs this before it serves or
// deploys (see [build] in wrangler.toml), so that the files are never stale. They go into dist/public, or
// into the folder that the command names.
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openapi, openapi30 } from "../src/openapi.ts";

const root = join(import.meta.dirname, "..");
const out = process.argv[2] ?? join(root, "dist/public");
const json = (document: object) => Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
const swagger = (name: string) =>
	readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));

const files = new Map([
	["openapi.json", json(openapi)],
	["openapi-3.0.json", json(openapi30)],
	["swagger-ui.css", swagger("swagger-ui.css")],
	["swagger-ui-bundle.js", swagger("swagger-ui-bundle.js")],
]);
for (const name of readdirSync(join(root, "page"))) {
	files.set(name, readFileSync(join(root, "page", name)));
}

// A running service has the folder open: only what has changed is written.
mkdirSync(out, { recursive: true });
for (const name of readdirSync(out)) {
	if (!files.has(name)) rmSync(join(out, name), { recursive: true, force: true });
}
for (const [name, content] of files) {
	const path = join(out, name);
	if (existsSync(path) && readFileSync(path).equals(content)) continue;
	// A rename, so that a running service finds the old file or the new one, never half a file.
	const unfinished = `${out}.${name}.${process.pid}`;
	writeFileSync(unfinished, content);
	renameSync(unfinished, path);
}
