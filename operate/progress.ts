// What long work shows: a bar on standard error, where that is a terminal, and how it ends.
import { SingleBar } from "cli-progress";

/** How a command goes on: how much of what is done, and whether it was interrupted. */
export interface Progress {
	/** Shows a bar from now on, for so many plants; without a number, a count alone. */
	begin(what: string, total?: number): void;
	/** Counts what is done. */
	add(plants: number): void;
	/** Aborted by Ctrl-C. */
	signal: AbortSignal;
}

/**
 * Runs a command to its end. Whatever it throws becomes a message on standard error and the status 1,
 * or 130 after Ctrl-C, which a command notices by the signal.
 */
export async function run(command: (progress: Progress) => Promise<string>) {
	const interruption = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM"]) {
		process.once(signal, () => interruption.abort(new Error("Interrupted.")));
	}
	let bar: SingleBar | undefined;
	const end = () => {
		bar?.stop();
		bar = undefined;
	};
	try {
		const message = await command({
			begin(what, total) {
				end();
				const format =
					total === undefined ? "{value}" : "{bar} {value}/{total}, {eta_formatted} left";
				bar = new SingleBar({
					format: `${what} ${format}, {duration_formatted}`,
					stream: process.stderr,
					clearOnComplete: true,
					gracefulExit: false,
					barCompleteChar: "█",
					barIncompleteChar: "░",
				});
				// In a pipe it shows nothing.
				bar.start(total ?? 0, 0);
			},
			add: (plants) => bar?.increment(plants),
			signal: interruption.signal,
		});
		end();
		console.error(message);
	} catch (error) {
		end();
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = interruption.signal.aborted ? 130 : 1;
	}
}
