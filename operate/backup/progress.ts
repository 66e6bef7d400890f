// What export and restore show while they work, on standard error (a bar in a terminal, lines elsewhere), and how they end.
import { setTimeout as sleep } from "node:timers/promises";
import { Presets, SingleBar } from "cli-progress";

let bar: SingleBar | undefined;

/** Begins a step, and shows how many plants of a total are done; without a total, how many. */
export function begin(what: string, total?: number) {
	bar?.stop();
	const format = total === undefined ? "{value}" : "{bar} {value}/{total}, {eta_formatted} left";
	const options = { format: `${what} ${format}`, clearOnComplete: true, gracefulExit: false };
	bar = new SingleBar({ ...options, stream: process.stderr }, Presets.shades_classic);
	bar.start(total ?? 0, 0);
	if (!process.stderr.isTTY) console.error(`${what} …`);
}

/** Counts plants as done. */
export const add = (plants: number) => bar?.increment(plants);

/** Waits so many milliseconds, and says so if they are more than ten seconds. */
export async function wait(ms: number, reason: string) {
	if (ms > 10_000) console.error(`Waiting ${Math.round(ms / 1000)} s: ${reason}`);
	await sleep(ms);
}

/**
 * Runs a command. What it returns is printed; what it throws becomes a message on standard error and the
 * status 1. SIGHUP, SIGINT and SIGTERM end it at once, with the status that a shell gives them.
 *
 * @param interrupted what to say after a signal; undefined where the command is done
 */
export async function run(command: () => Promise<string>, interrupted: () => string | undefined) {
	for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
		// For every signal, since Ctrl-C sends two: one from the terminal, one that npm passes on.
		process.on(signal, () => {
			const message = interrupted();
			if (message === undefined) return;
			bar?.stop();
			console.error(message);
			process.exit(128 + number);
		});
	}
	try {
		const message = await command();
		bar?.stop();
		console.log(message);
	} catch (error) {
		bar?.stop();
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	}
}
