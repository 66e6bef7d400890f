// The last step of `npm run check`: holds the Worker's bundle to its budget.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The largest bundle, in bytes after gzip: 13 KiB. */
const BUDGET = 13 * 1024;

const bundle = readFileSync(join(import.meta.dirname, "../dist/worker/index.js"));
const { length } = gzipSync(bundle);
console.log(`Bundle: ${length} bytes after gzip, of ${BUDGET}`);
if (length > BUDGET) {
	console.error(
		"The bundle is over its budget. See what has grown with: npx wrangler deploy --dry-run --metafile",
	);
	process.exit(1);
}
