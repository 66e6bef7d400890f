// A stand-in for Cloudflare's REST API, as an export calls it: one namespace in one account.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export const NAMESPACE = "0123456789abcdef0123456789abcdef";
/** May answer a call, `keys` or `get`, in place of the stand-in. */
export type Fault = (response: ServerResponse, call: string, earlierCalls: number) => unknown;

/** Starts a stand-in on 127.0.0.1, for the API token `bearer-token`. */
export async function startApi(fault: Fault) {
	const values = new Map<string, unknown>();
	/** The sizes of the next pages of keys; 1,000 by default. */
	const pages: number[] = [];
	let calls = 0;
	function list(from: number) {
		const to = from + (pages.shift() ?? 1000);
		const names = [...values.keys()].sort().slice(from, to);
		const cursor = to < values.size ? `${to}` : "";
		return { success: true, result: names.map((name) => ({ name })), result_info: { cursor } };
	}
	const server = createServer(async (request, response) => {
		const send = (status: number, answer: object) => {
			response.writeHead(status, { "Content-Type": "application/json" });
			response.end(JSON.stringify(answer));
		};
		const refuse = (status: number, message: string) =>
			send(status, { success: false, errors: [{ message }] });
		const token = request.headers.authorization;
		if (token !== "Bearer bearer-token") return refuse(403, `wrong: ${token}`);
		const { pathname, searchParams } = new URL(request.url ?? "", "http://api");
		const [path, call = ""] = pathname.split(/\/(?:bulk\/)?(\w+)$/);
		if (path !== `/accounts/account/storage/kv/namespaces/${NAMESPACE}`) return refuse(404, "none");
		await fault(response, call, calls);
		calls++;
		if (response.headersSent || response.destroyed) return;
		if (call === "keys") return send(200, list(Number(searchParams.get("cursor"))));
		const keys: string[] = Object(await json(request)).keys;
		const pairs = keys.map((key) => [key, values.get(key) ?? null]);
		if (keys.length > 100) return refuse(400, "too many keys");
		// The real limit is 25 MB.
		if (JSON.stringify(pairs).length > 3_000) return refuse(413, "too large");
		send(200, { success: true, result: { values: Object.fromEntries(pairs) } });
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	// The address of a TCP server is not a path.
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { url, values, pages, close: () => server.close().closeAllConnections() };
}
