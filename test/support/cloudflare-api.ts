// A stand-in for the part of Cloudflare's REST API that an export calls. Each test chooses how it fails.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** How a call fails: with another answer, or with a connection that is cut before or in the middle of the answer. */
export type Fault =
	| { status: number; body?: string; headers?: Record<string, string> }
	| "cut before"
	| "cut in the middle";

/** Chooses the fault of a call, given the end of its path and the number of earlier calls to it. */
export type FaultAt = (call: string, times: number) => Fault | undefined;

/** Starts a stand-in on 127.0.0.1. Every account has a Worker plant-store. */
export async function startApi(faultAt: FaultAt) {
	const counts = new Map<string, number>();
	const api = {
		/** The keys and values of the account `first`. Any other account has one plant, named after the account. */
		values: new Map<string, string>(),
		/** The numbers of keys on the next pages of the list; 1,000 by default. */
		pages: new Array<number>(),
		url: "",
		close: () => server.close().closeAllConnections(),
	};
	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "", "http://api");
		const [, account, call = ""] = /^\/accounts\/(\w+)\/.*?(\w+)$/.exec(pathname) ?? [];
		const body = request.method === "POST" ? await json(request) : undefined;
		const times = counts.get(call) ?? 0;
		counts.set(call, times + 1);
		const fault = faultAt(call, times);
		if (fault === "cut before") return request.socket.destroy();
		if (typeof fault === "object") {
			const body = fault.body ?? '{"errors":[{"message":"a fault of bearer-token"}]}';
			return response.writeHead(fault.status, fault.headers).end(body);
		}
		const other = new Map([["1", `{"id":1,"name":"${account}"}`]]);
		const values = account === "first" ? api.values : other;
		const keys = [...values.keys()].sort();
		const from = Number(searchParams.get("cursor"));
		const to = from + (call === "keys" ? (api.pages.shift() ?? 1000) : 0);
		const namespace = { id: `kv-of-${account}`, title: "plants" };
		const asked: string[] = Object(body).keys ?? [];
		const results: Record<string, () => unknown> = {
			namespaces: () => (Number(searchParams.get("page") ?? 1) > 1 ? [] : [namespace]),
			settings: () => ({ bindings: [{ name: "PLANTS", namespace_id: namespace.id }] }),
			keys: () => keys.slice(from, to).map((name) => ({ name })),
			get: () => ({ values: Object.fromEntries(asked.map((k) => [k, values.get(k) ?? null])) }),
		};
		const result = results[call]?.();
		const cursor = call === "keys" && to < keys.length ? `${to}` : "";
		const whole = JSON.stringify({ success: true, result, result_info: { cursor } });
		response.setHeader("Content-Type", "application/json");
		response.setHeader("Content-Length", Buffer.byteLength(whole));
		if (fault !== "cut in the middle") return response.end(whole);
		return response.write(whole.slice(0, whole.length / 2), () => request.socket.destroy());
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	// The address of a TCP server is not a path.
	api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return api;
}
