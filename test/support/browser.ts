// The browser for the page's test: the one that CHROMIUM names, or a Chromium or Chrome in its usual place.
import { existsSync } from "node:fs";

/** The path of a Chromium, or undefined if there is none. */
export const browser = [
	process.env["CHROMIUM"] ?? "",
	"/usr/bin/chromium",
	"/usr/bin/google-chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
].find((path) => existsSync(path));

/** Says, once per run, if the page's test is skipped. */
export function setup() {
	if (!browser) {
		console.log(
			"No Chromium found, so test/node/page.test.ts is skipped. Set CHROMIUM to its path.",
		);
	}
}
