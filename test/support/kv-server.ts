// A server that stands in for KV while a Worker runs in workerd.
import { text } from "node:stream/consumers";
import { listen } from "./listen.ts";

/** KV's response to a write: a status, or a lost connection. */
export type KvResponse = number | "lost";

/** Starts the server, which responds to each write as `respond` says. Returns its host and port. */
export const serveKv = (respond: (key: string, value: string) => KvResponse) =>
	listen(async (request, response) => {
		const key = /-?\d+/.exec(request.url ?? "")?.[0] ?? "";
		const next = respond(key, await text(request));
		if (next === "lost") request.socket.destroy();
		else response.writeHead(next).end();
	});
