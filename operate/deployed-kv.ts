// A deployed KV namespace, through Cloudflare's REST API: many keys a call, and no more calls than it takes.
import { execFileSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import type { Entry, Namespace } from "./kv.ts";
import { readConfig } from "./wrangler-toml.ts";

/** How many calls of the API in five minutes. The API takes 1,200 of a user's, and then none for a while. */
const CALLS = 1000;
const CALLS_MS = 5 * 60_000;

/** Milliseconds to wait before another try of a call that failed. */
const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000, 16_000];

/** The largest body of a bulk write, in characters; the API takes 100 MB. */
const MAX_BODY = 25_000_000;

const Problems = z.object({ errors: z.array(z.object({ message: z.string() })) });
const Accounts = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) });
const Bindings = z.object({
	result: z.object({
		bindings: z.array(z.object({ name: z.string(), namespace_id: z.optional(z.string()) })),
	}),
});
const Keys = z.object({
	result: z.array(z.object({ name: z.string() })),
	result_info: z.object({ cursor: z.optional(z.string()) }),
});
const Values = z.object({
	result: z.object({ values: z.record(z.string(), z.nullable(z.string())) }),
});
const Written = z.object({
	result: z.object({ unsuccessful_keys: z.optional(z.array(z.string())) }),
});

/** Opens the namespace that a deployed Worker has as PLANTS. */
export async function openDeployed(worker: string, signal: AbortSignal): Promise<Namespace> {
	const token = process.env["CLOUDFLARE_API_TOKEN"] || loggedIn();
	const base = process.env["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";
	const started: number[] = [];

	/** Calls the API, when its limit lets it, and again where that may help. */
	async function call<T>(schema: z.ZodMiniType<T>, path: string, body?: unknown, method = "POST") {
		const init = body === undefined ? {} : { method, body: JSON.stringify(body) };
		const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
		for (let tries = 0; ; tries++) {
			const full = (started.at(-CALLS) ?? 0) + CALLS_MS - Date.now();
			started.push(Date.now() + Math.max(full, 0));
			if (full > 0) await wait(full, undefined, { signal });
			const answer = await fetch(`${base}${path}`, { ...init, headers, signal }).then(
				async (response) => ({ response, text: await response.text(), problem: "" }),
				(error) => ({ response: undefined, text: "", problem: `${error.cause ?? error}` }),
			);
			const { response, text } = answer;
			if (response?.ok) return z.parse(schema, JSON.parse(text));
			signal.throwIfAborted();
			const transient = !response || response.status === 429 || response.status >= 500;
			const delay = transient ? RETRY_DELAYS_MS[tries] : undefined;
			if (delay === undefined) {
				const [first] = problemsIn(text);
				const reason = answer.problem || `${first ?? response?.statusText} (${response?.status})`;
				throw new Error(`Cloudflare's API, ${path.split("?")[0]}: ${reason}`);
			}
			const after = 1000 * Number(response?.headers.get("Retry-After") ?? 0);
			await wait(Math.max(delay, after), undefined, { signal });
		}
	}

	const account = `/accounts/${await accountId()}`;
	async function accountId() {
		const { account_id = process.env["CLOUDFLARE_ACCOUNT_ID"] } = readConfig();
		if (account_id) return account_id;
		const { result } = await call(Accounts, "/accounts");
		const [only, ...more] = result;
		if (only && more.length === 0) return only.id;
		const names = result.map(({ id, name }) => `${id} (${name})`).join(", ");
		throw new Error(`Set CLOUDFLARE_ACCOUNT_ID to one of the accounts: ${names}`);
	}

	const { result } = await call(Bindings, `${account}/workers/scripts/${worker}/settings`);
	const id = result.bindings.find(({ name }) => name === "PLANTS")?.namespace_id;
	if (!id) throw new Error(`The Worker ${worker} has no KV namespace that is bound as PLANTS.`);
	const path = `${account}/storage/kv/namespaces/${id}`;
	return {
		name: worker,
		batch: { read: 100, write: 10_000 },
		async *keys() {
			for (let cursor = ""; ; ) {
				const page = await call(
					Keys,
					`${path}/keys?limit=1000&cursor=${encodeURIComponent(cursor)}`,
				);
				yield page.result.map(({ name }) => name);
				cursor = page.result_info.cursor ?? "";
				if (!cursor) return;
			}
		},
		async read(keys) {
			const { result } = await call(Values, `${path}/bulk/get`, { keys, type: "text" });
			return new Map(
				Object.entries(result.values).flatMap(([key, value]) =>
					value === null ? [] : [[key, value]],
				),
			);
		},
		async write(entries) {
			for (const part of parts(entries)) {
				const { result } = await call(Written, `${path}/bulk`, part, "PUT");
				const [failed] = result.unsuccessful_keys ?? [];
				if (failed !== undefined) throw new Error(`Cloudflare's KV did not take ${failed}`);
			}
		},
		close() {},
	};
}

/** The messages in an answer of the API that reports a failure. */
function problemsIn(text: string): string[] {
	try {
		return z.parse(Problems, JSON.parse(text)).errors.map(({ message }) => message);
	} catch {
		return [];
	}
}

/** Entries in parts that are not too large for a call. */
function parts(entries: Entry[]): Entry[][] {
	const result: Entry[][] = [[]];
	let size = 0;
	for (const entry of entries) {
		size += entry.value.length;
		if (size > MAX_BODY && result.at(-1)?.length) {
			result.push([]);
			size = entry.value.length;
		}
		result.at(-1)?.push(entry);
	}
	return result;
}

/** The token that `wrangler login` has left. */
function loggedIn(): string {
	try {
		const options = {
			encoding: "utf8",
			stdio: "pipe",
			shell: process.platform === "win32",
		} as const;
		const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
		const output = execFileSync("wrangler", ["auth", "token", "--json"], { ...options, env });
		return z.parse(z.object({ token: z.string() }), JSON.parse(output)).token;
	} catch {
		throw new Error("Log in first, with npx wrangler login, or set CLOUDFLARE_API_TOKEN.");
	}
}
