// The paths in the tests begin in the project's folder, wherever Vitest was started.
import { resolve } from "node:path";

export function setup() {
	process.chdir(resolve(import.meta.dirname, "../.."));
}
