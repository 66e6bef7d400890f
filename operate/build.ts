// Puts the static files together in dist/public: the page, the OpenAPI documents and Swagger UI. Wrangler runs
// this before it serves or deploys, so that they are never stale (see [build] in wrangler.toml).
import { copyFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openapi, openapi30 } from "../src/openapi.ts";

const root = join(import.meta.dirname, "..");
const out = join(root, "dist/public");

const write = (name: string, document: object) =>
	writeFileSync(join(out, name), `${JSON.stringify(document, null, 2)}\n`);

cpSync(join(root, "page"), out, { recursive: true });
write("openapi.json", openapi);
write("openapi-3.0.json", openapi30);
for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
	copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), join(out, name));
}
