// Starts the production bundle in workerd itself, with a KV service that the caller provides.
import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, relative } from "node:path";

const run = (command: string, ...args: string[]) =>
	execFileSync(command, args, { encoding: "utf8", stdio: "pipe" });

/** The path of workerd's binary. (The command `workerd` is a Node script that starts it.) */
export const workerd = run("node", "-p", "require('workerd').default").trim();

const [, compatibilityDate] =
	/^compatibility_date = "(.+)"/m.exec(readFileSync("wrangler.toml", "utf8")) ?? [];

/**
 * Returns a free TCP port of 127.0.0.1. It is below the ephemeral ports, so that the system gives it to no other
 * socket before it is used.
 *
 * @throws Error if 20 ports in a row are taken
 */
export async function freePort(): Promise<number> {
	for (let tries = 1; ; tries++) {
		const port = randomInt(10_000, 32_768);
		const server = createServer().listen(port, "127.0.0.1");
		try {
			await once(server, "listening");
			return port;
		} catch (error) {
			if (tries === 20) throw error;
		} finally {
			server.close();
		}
	}
}

/** Bundles a Worker as `wrangler deploy` would, into a folder of its own, and returns the file's path. */
export function bundle(entry: string, outdir: string): string {
	run("wrangler", "deploy", entry, "--dry-run", "--outdir", outdir);
	const file = readdirSync(outdir).find((name) => name.endsWith(".js"));
	if (!file) throw new Error(`wrangler made no bundle for ${entry}`);
	return join(outdir, file);
}

/** The processes that must not outlive this one. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
	for (const child of running) child.kill("SIGKILL");
});

/** How to start a bundle in workerd. */
export interface Options {
	/** The folder of the bundle, in which the configuration is written, too. */
	folder: string;
	/** The path of the bundle. */
	file: string;
	/** The bearer token to accept. */
	token: string;
	/**
	 * The service that stands in for KV, in the language of workerd's configuration:
	 * https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp
	 */
	kv: string;
	/** A command that runs workerd, such as valgrind, with its arguments. */
	wrap?: string[];
	/** Command-line options of V8. */
	v8Flags?: string[];
	stdio?: StdioOptions;
}

/** Starts a bundle in workerd, and returns the process and its port of 127.0.0.1. */
export async function startWorkerd(
	options: Options,
): Promise<{ child: ChildProcess; port: number }> {
	const { folder, file, token, kv, wrap = [], v8Flags = [], stdio = "ignore" } = options;
	const port = await freePort();
	const config = join(folder, `${port}.capnp`);
	writeFileSync(
		config,
		`using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ${JSON.stringify(v8Flags)},
  services = [(name = "main", worker = .main), (name = "kv", ${kv})],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "${relative(folder, file)}")],
  compatibilityDate = "${compatibilityDate}",
  bindings = [(name = "PLANTS", kvNamespace = "kv"), (name = "ACCESS_TOKEN", text = "${token}")],
);
`,
	);
	const [command = workerd, ...args] = [...wrap, workerd, "serve", config];
	const child = spawn(command, args, { stdio });
	running.add(child);
	child.once("exit", () => running.delete(child));
	return { child, port };
}

/** A KV service that acknowledges every write at once. */
export const INSTANT_KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "${compatibilityDate}",
)`;

/** Repeats an action until it succeeds, for at most a minute. */
export async function until<T>(action: () => Promise<T>): Promise<T> {
	for (let tries = 0; ; tries++) {
		try {
			return await action();
		} catch (error) {
			if (tries >= 300) throw error;
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
	}
}
