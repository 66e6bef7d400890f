// Makes the static files that are not written by hand: the document, and Swagger UI's own. Wrangler
// runs this before it serves or deploys, so that they are never stale (see [build] in wrangler.toml).
import { copyFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { document } from "./openapi.ts";

const to = (name) => new URL(`../public/${name}`, import.meta.url);

writeFileSync(to("openapi.json"), `${JSON.stringify(document, null, "\t")}\n`);

for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
	copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), to(name));
}
