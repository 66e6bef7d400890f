// The production bundle in workerd itself, with a KV service that the caller brings.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, relative } from "node:path";

const run = (command, ...args) => execFileSync(command, args, { encoding: "utf8", stdio: "pipe" });

/** The binary itself: the command of that name is a Node script in front of it. */
export const workerd = run("node", "-p", "require('workerd').default").trim();

const [compatibilityDate] = /(?<=^compatibility_date = ")[^"]+/m.exec(
	readFileSync("wrangler.toml", "utf8"),
);

/** A TCP port of 127.0.0.1 that is free now. */
export async function freePort() {
	const server = createServer().listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	const { port } = server.address();
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** Bundles a Worker as for a deployment, into a folder of its own, and returns the file. */
export function bundle(entry, outdir) {
	run("wrangler", "deploy", entry, "--dry-run", "--outdir", outdir);
	return join(
		outdir,
		readdirSync(outdir).find((name) => name.endsWith(".js")),
	);
}

/**
 * Starts a bundle in workerd.
 *
 * @param folder where the bundle is, and where the configuration goes
 * @param kv what answers for KV: a service of workerd's, in its configuration's language; see
 * https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp
 * @param wrap a command to start workerd under
 * @returns the process, and the port it will listen on
 */
export async function startWorkerd({ folder, file, token, kv, wrap = [], stdio = "ignore" }) {
	const port = await freePort();
	const config = join(folder, `${port}.capnp`);
	writeFileSync(
		config,
		`using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
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
	const [command, ...args] = [...wrap, workerd, "serve", config];
	const child = spawn(command, args, { stdio });
	const end = () => child.kill("SIGKILL");
	process.once("exit", end);
	child.once("exit", () => process.off("exit", end));
	return { child, port };
}

/** A KV service that answers every write at once, so that only the Worker in front of it has work. */
export const INSTANT_KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "${compatibilityDate}",
)`;

/** Waits until something resolves, trying again for a minute. */
export async function until(action) {
	for (let tries = 0; ; tries++) {
		try {
			return await action();
		} catch (error) {
			if (tries >= 300) throw error;
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
	}
}
