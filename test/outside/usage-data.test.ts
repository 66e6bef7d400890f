// No npm script lets Wrangler send usage data. Wrangler's debug log tells what it would have sent.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { freePort } from "../support/workerd.ts";

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
	readFileSync("package.json", "utf8"),
);
const commands = Object.entries(scripts).flatMap(([name, script]) =>
	script
		.split(" && ")
		.flatMap((command) => (command.startsWith("wrangler ") ? [[name, command]] : [])),
);

it.each(commands)("npm run %s: %s", async (_, command = "") => {
	const [, ...args] = command.split(" ");
	if (args[0] === "dev") args.push("--ip", "127.0.0.1", "--port", `${await freePort()}`);
	// Without writing anything.
	if (args[0] === "types") args.push("--check");
	const env = { ...process.env, WRANGLER_LOG: "debug" };
	Reflect.deleteProperty(env, "WRANGLER_SEND_METRICS");
	const child = spawn("wrangler", args, {
		detached: true,
		env,
	});
	const pid = child.pid ?? 0;
	let log = "";
	await new Promise((resolve) => {
		child.once("close", resolve);
		for (const stream of [child.stdout, child.stderr]) {
			stream.on("data", (data) => {
				log += data;
				if (log.includes("Metrics dispatcher: ")) resolve(undefined);
			});
		}
	});
	if (child.exitCode === null) process.kill(-pid, "SIGKILL");
	expect(log).toContain("Metrics dispatcher: Dispatching disabled");
	expect(log).not.toContain("Metrics dispatcher: Posting data");
});
