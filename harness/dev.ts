// Starts `wrangler dev` in its own process.
import { spawn } from "node:child_process";
import { freePort } from "./workerd.ts";

/** A running `wrangler dev`. */
interface Dev {
	/** Its base URL, without a slash at the end. */
	url: string;
	/** Stops it and its child processes. */
	stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts `wrangler dev` on 127.0.0.1, and waits until it answers, for two minutes at most.
 *
 * @param state the folder for its KV
 * @param token the bearer token to accept
 * @throws Error, with its output, if it does not answer
 */
export async function startDev(state: string, token: string): Promise<Dev> {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const child = spawn(
		"wrangler",
		[
			"dev",
			"--env-file=.env.example",
			`--persist-to=${state}`,
			"--ip=127.0.0.1",
			`--port=${port}`,
			// Any free port: two that start at once would both take 9229.
			"--inspector-port=0",
		],
		// A process group of its own, so that any signal ends workerd, too.
		{ stdio: "pipe", detached: true, env: { ...process.env, ACCESS_TOKEN: token } },
	);
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
	}
	const ended = new Promise((resolve) => child.once("exit", resolve));
	const kill = (signal: NodeJS.Signals) => {
		if (child.pid && child.exitCode === null && child.signalCode === null) {
			process.kill(-child.pid, signal);
		}
	};
	const end = () => kill("SIGKILL");
	// Before the folder of its KV is removed.
	process.prependOnceListener("exit", end);
	child.once("exit", () => process.off("exit", end));
	const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
		kill(signal);
		await ended;
	};
	for (let tries = 0; tries < 600; tries++) {
		const answer = await fetch(`${url}/openapi.json`).catch(() => undefined);
		if (answer?.ok) return { url, stop };
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	await stop("SIGKILL");
	throw new Error(`wrangler dev did not start:\n${output}`);
}
