// A stand-in of Cloudflare's REST API with one Worker and its KV namespace, which fails as a test says.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What becomes of a call instead of its answer: another answer, or a connection that is cut before or in it. */
export type Fault =
	| { status: number; body?: string; headers?: Record<string, string>; result?: object }
	| "cut before"
	| "cut in the middle";

/** A call: GET keys, POST bulk/get, PUT bulk, or GET settings. */
export type Call = "settings" | "keys" | "get" | "put";

/** A stand-in of the API. */
export interface Api {
	/** What the namespace holds. */
	values: Map<string, string>;
	/** How many keys the next pages of the list have; 1,000 where nothing is said. */
	pages: number[];
	/** Asked before each call, with how many calls of this kind there were before. */
	fault: (call: Call, times: number) => Fault | undefined | Promise<Fault | undefined>;
	/** The variables that make Wrangler and the commands use it. */
	env: Record<string, string>;
	close(): void;
}

/** Starts a stand-in on 127.0.0.1. */
export async function startApi(): Promise<Api> {
	const counts: Record<Call, number> = { settings: 0, keys: 0, get: 0, put: 0 };
	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "", "http://api");
		const body = await text(request);
		const [call] =
			Object.entries({
				settings: "/accounts/account/workers/scripts/plant-store/settings",
				keys: "/accounts/account/storage/kv/namespaces/namespace/keys",
				get: "/accounts/account/storage/kv/namespaces/namespace/bulk/get",
				put: "/accounts/account/storage/kv/namespaces/namespace/bulk",
			}).find(([, path]) => path === pathname) ?? [];
		const answer = (status: number, json: object, headers = {}) => {
			response.writeHead(status, { "Content-Type": "application/json", ...headers });
			response.end(JSON.stringify(json));
		};
		if (call !== "settings" && call !== "keys" && call !== "get" && call !== "put") {
			return answer(404, { success: false, errors: [{ code: 10007, message: "not found" }] });
		}
		const fault = await api.fault(call, counts[call]++);
		if (fault === "cut before") return request.socket.destroy();
		if (typeof fault === "object" && !fault.result) {
			response.writeHead(fault.status, fault.headers);
			return response.end(fault.body ?? '{"success":false,"errors":[{"message":"a fault"}]}');
		}
		const keys = [...api.values.keys()].sort();
		const from = Number(searchParams.get("cursor") ?? 0);
		const to = from + (call === "keys" ? (api.pages.shift() ?? 1000) : 0);
		const json = {
			settings: () => ({
				bindings: [{ name: "PLANTS", type: "kv_namespace", namespace_id: "namespace" }],
			}),
			keys: () => keys.slice(from, to).map((name) => ({ name })),
			get: () => ({
				values: Object.fromEntries(
					JSON.parse(body).keys.map((key: string) => [key, api.values.get(key) ?? null]),
				),
			}),
			put: () => {
				for (const { key, value } of JSON.parse(body)) api.values.set(key, value);
				return { unsuccessful_keys: [] };
			},
		};
		const result = (typeof fault === "object" && fault.result) || json[call]();
		const more = call === "keys" && to < keys.length ? `${to}` : "";
		const whole = JSON.stringify({ success: true, result, result_info: { cursor: more } });
		response.writeHead(200, { "Content-Length": Buffer.byteLength(whole) });
		if (fault !== "cut in the middle") return response.end(whole);
		response.write(whole.slice(0, whole.length / 2), () => request.socket.destroy());
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	// The address of a TCP server is not a path.
	const { port } = server.address() as AddressInfo;
	const api: Api = {
		values: new Map(),
		pages: [],
		fault: () => undefined,
		env: {
			CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
			CLOUDFLARE_API_TOKEN: "api-token",
			CLOUDFLARE_ACCOUNT_ID: "account",
		},
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
	return api;
}
