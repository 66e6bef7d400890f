// Servers of the tests.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a server on a free port of 127.0.0.1. It doesn't keep this process alive. Returns its host and port. */
export async function listen(respond: RequestListener): Promise<string> {
	const server = createServer(respond);
	await once(server.listen(0, "127.0.0.1"), "listening");
	server.unref();
	// Unlike that of a Unix socket, the address of a TCP server is an object.
	const { port } = server.address() as AddressInfo;
	return `127.0.0.1:${port}`;
}
