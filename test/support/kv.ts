// A server that stands in for KV while a Worker runs in workerd.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** KV's response to a write: a status, or a lost connection. */
export type KvResponse = number | "lost";

/** Starts the server, which responds to each write as `respond` says. Returns its host and port. */
export async function serveKv(respond: (key: string, value: string) => KvResponse) {
	const server = createServer(async (request, response) => {
		const key = /-?\d+/.exec(request.url ?? "")?.[0] ?? "";
		const next = respond(key, await text(request));
		if (next === "lost") request.socket.destroy();
		else response.writeHead(next).end();
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	// So that it doesn't keep this process alive.
	server.unref();
	// Unlike that of a Unix socket, the address of a TCP server is an object.
	const { port } = server.address() as AddressInfo;
	return `127.0.0.1:${port}`;
}
