// A temporary folder for a command.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a temporary folder, and returns its path. The process removes it at its end, even if it is interrupted. */
export function temporaryFolder(name: string): string {
	const folder = mkdtempSync(join(tmpdir(), `plant-store-${name}-`));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
	// By itself, a signal ends a process without "exit", at which the harness also stops what it has started.
	for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
		process.once(signal, () => process.exit(128 + number));
	}
	return folder;
}
