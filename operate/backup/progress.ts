// What export and restore show while they work, on standard error (a bar in a terminal, lines elsewhere), and how they end.
import { setTimeout as sleep } from "node:timers/promises";
import { Presets, SingleBar } from "cli-progress";
import { messageOf } from "../options.ts";

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
 * Runs a command, and prints what it resolves to. Where it fails, it ends the process with the status 1; on SIGHUP,
 * SIGINT and SIGTERM at once, with the status that a shell gives them.
 *
 * @param failed makes the message of a failure from its reason
 */
export async function run(command: () => Promise<string>, failed: (reason: string) => string) {
	const end = (reason: string, status: number) => {
		bar?.stop();
		console.error(failed(reason));
		process.exit(status);
	};
	for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
		process.on(signal, () => end("interrupted.", 128 + number));
	}
	try {
		const message = await command();
		bar?.stop();
		console.log(message);
	} catch (error) {
		end(messageOf(error), 1);
	}
}
