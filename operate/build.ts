// Builds the static files in dist/public: the page, the OpenAPI documents and Swagger UI. Wrangler runs this before it
// serves or deploys (see [build] in wrangler.toml), and Vitest before it tests, so that the files are never stale.
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
const json = (document: object) => Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
const swagger = (name: string) =>
	readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));

/** Writes the static files into a folder, which a running service may have open, and removes all others from it. */
export function build(out: string) {
	const files = new Map([
		...readdirSync(join(root, "page")).map(
			(name) => [name, readFileSync(join(root, "page", name))] as const,
		),
		["openapi.json", json(openapi)],
		["openapi-3.0.json", json(openapi30)],
		["swagger-ui.css", swagger("swagger-ui.css")],
		["swagger-ui-bundle.js", swagger("swagger-ui-bundle.js")],
	]);
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
}

if (import.meta.main) build(join(root, "dist/public"));
