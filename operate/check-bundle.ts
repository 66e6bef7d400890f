// The last step of `npm run check`: makes sure that no large library got into the Worker by mistake.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The largest bundle, in bytes after gzip: 20 KiB. `import { z } from "zod"` alone adds 90. */
const BUDGET = 20 * 1024;

const bundle = readFileSync(join(import.meta.dirname, "../dist/worker/index.js"));
const { length } = gzipSync(bundle);
console.log(`Bundle: ${length} bytes after gzip, of ${BUDGET}`);
if (length > BUDGET) {
	console.error(
		"The bundle is over its budget. To see what is in it, run this and open dist/meta.json at https://esbuild.github.io/analyze/:\nnpx wrangler deploy --dry-run --outdir dist/worker --metafile=dist/meta.json --env-file .env.example",
	);
	process.exit(1);
}
