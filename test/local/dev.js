// A `wrangler dev` for tests, with a KV of its own.
import { execFileSync, spawn } from "node:child_process";
import { freePort } from "./workerd.js";

/**
 * Starts `wrangler dev`, and waits until it answers.
 *
 * @param state the folder that its KV is kept in
 * @param token the bearer token to accept
 * @returns its base URL; `stop(signal)`, which ends it and everything it started; `get(id)`, the
 * value in its KV
 */
export async function startDev(state, token = "local-development-token") {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const options = ["--persist-to", state];
	const child = spawn(
		"wrangler",
		["dev", "--env-file", ".env.example", "--ip", "127.0.0.1", "--port", `${port}`, ...options],
		// A process group of its own, so that workerd ends with it whatever the signal.
		{ stdio: "pipe", detached: true, env: { ...process.env, ACCESS_TOKEN: token } },
	);
	const output = [];
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(data));
	const ended = new Promise((resolve) => child.once("exit", resolve));
	const stop = async (signal = "SIGTERM") => {
		if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
		await ended;
	};
	const end = () => child.exitCode === null && process.kill(-child.pid, "SIGKILL");
	process.once("exit", end);
	child.once("exit", () => process.off("exit", end));
	for (let tries = 0; tries < 150; tries++) {
		const answer = await fetch(`${url}/openapi.json`).catch(() => undefined);
		if (answer?.ok) {
			const get = (id) =>
				execFileSync(
					"wrangler",
					["kv", "key", "get", id, "--binding", "PLANTS", "--local", ...options],
					{ encoding: "utf8" },
				);
			return { url, stop, get };
		}
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	await stop("SIGKILL");
	throw new Error(`wrangler dev did not start:\n${output.join("")}`);
}
