// Runs a Worker's production bundle in workerd itself, with a KV service that the caller provides.
// workerd ends when this process exits.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";

/** The path of Wrangler's workerd. (The command `workerd` is a Node script that starts it.) */
const workerd: string = createRequire(import.meta.resolve("wrangler"))("workerd").default;

/**
 * Bundles a Worker as `wrangler deploy` would, into its own folder. Returns the bundle's path. Beside
 * it, bundle-meta.json says what is in it.
 *
 * @throws Error, with Wrangler's reason, if it fails
 */
export function bundle(entry: string): string {
	const folder = fs.mkdtempSync(join(tmpdir(), "bundle-"));
	const command = ["deploy", entry, "--dry-run", "--metafile", "--outdir", folder];
	execFileSync("wrangler", command, { stdio: "pipe" });
	return join(folder, `${parse(entry).name}.js`);
}

/**
 * Starts a bundle in workerd, and waits until it listens on a free port of 127.0.0.1. Resolves to
 * the process, its base URL, without a slash at the end, and the path of the file with its output.
 *
 * @param file the bundle
 * @param token the bearer token to accept
 * @param kv the service that stands in for KV, in the language of workerd's configuration:
 * https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp
 * @throws Error, with workerd's output, if workerd ends before it listens
 */
export async function startWorkerd(file: string, token: string, kv: string) {
	const folder = fs.mkdtempSync(join(tmpdir(), "workerd-"));
	fs.copyFileSync(file, join(folder, "index.js"));
	const config = join(folder, "workerd.capnp");
	fs.writeFileSync(config, configuration(token, kv));
	// A file, because output through a pipe may arrive after the response.
	const log = join(folder, "workerd.log");
	const output = fs.openSync(log, "a");
	const child = spawn(workerd, ["serve", "--control-fd=3", config], {
		stdio: ["ignore", output, output, "pipe"],
	});
	fs.closeSync(output);
	process.prependOnceListener("exit", () => child.kill("SIGKILL"));
	// Node's pipes are sockets.
	const control = child.stdio[3] as Socket;
	const [message] = await Promise.race([once(control, "data"), once(control, "end")]);
	if (!message) throw new Error(`workerd did not start:\n${fs.readFileSync(log, "utf8")}`);
	const { port }: { port: number } = JSON.parse(message);
	return { child, url: `http://127.0.0.1:${port}`, log };
}

/** Returns workerd's configuration for the bundle `index.js` beside it. */
function configuration(token: string, kv: string): string {
	const toml = fs.readFileSync("wrangler.toml", "utf8");
	const [, date] = /^compatibility_date = "(.+)"$/m.exec(toml) ?? [];
	return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "kv", ${kv})],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "index.js")],
  compatibilityDate = "${date}",
  bindings = [(name = "PLANTS", kvNamespace = "kv"), (name = "ACCESS_TOKEN", text = "${token}")],
);
`;
}
