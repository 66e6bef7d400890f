// The last step of `npm run check`: fails if a large library got into the Worker by mistake.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The largest bundle, in bytes after gzip: 20 KiB. `import { z } from "zod"` alone adds 90 KiB. */
const MAX_BYTES = 20 * 1024;

const bundle = readFileSync(join(import.meta.dirname, "../dist/worker/index.js"));
const { length } = gzipSync(bundle);
console.log(`Bundle: ${length} bytes after gzip, of at most ${MAX_BYTES}`);
if (length > MAX_BYTES) {
	console.error(
		"The bundle is too large. To see its contents, run this command and open dist/meta.json at https://esbuild.github.io/analyze/:\nnpx wrangler deploy --dry-run --outdir dist/worker --metafile=dist/meta.json",
	);
	process.exit(1);
}
