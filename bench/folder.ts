// A temporary folder for a command.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { resolve } from "node:path";

/** Makes a folder in dist, and returns its path. The process removes it at its end, even if it is interrupted. */
export function temporaryFolder(): string {
	mkdirSync("dist", { recursive: true });
	const folder = mkdtempSync(resolve("dist/temporary-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
	// By itself, a signal ends a process without "exit", at which the processes that it has started end, too.
	for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
		process.once(signal, () => process.exit(128 + number));
	}
	return folder;
}
