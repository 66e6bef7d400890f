// The KV of a deployed Worker, through Cloudflare's REST API (https://developers.cloudflare.com/api/resources/kv/), in
// the account and with the API token that Wrangler uses in this folder. (Wrangler itself reads 100 keys per process.)
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setGlobalProxyFromEnv } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import * as z from "zod/mini";

const PERMISSIONS = "these permissions: Workers Scripts, Read; Workers KV Storage, Read";
const Ids = z.array(z.object({ id: z.string() }));
const Binding = z.object({ name: z.string(), namespace_id: z.optional(z.string()) });
const Settings = z.object({ result: z.object({ bindings: z.array(Binding) }) });
const Cursor = z.object({ cursor: z.string() });
const Page = z.object({ result: z.array(z.object({ name: z.string() })), result_info: Cursor });
const Refusal = z.object({ errors: z.array(z.object({ message: z.string() })) });

/** The schema of an answer with the values of all these keys. (z.record would lose a key named __proto__.) */
function valuesOf(keys: string[]) {
	const isWhole = (json: unknown) => {
		const values = new Map<string, unknown>(Object.entries(json ?? {}));
		return keys.every((key) => values.get(key) === null || typeof values.get(key) === "string");
	};
	const values = z.custom<Record<string, string | null>>(isWhole);
	return z.object({ result: z.object({ values }) });
}

/** Runs a Wrangler command, and returns the JSON that it prints. */
async function wrangler<T>(schema: z.ZodMiniType<T>, ...args: string[]): Promise<T> {
	const env = { ...process.env, WRANGLER_LOG: "log", WRANGLER_SEND_METRICS: "false" };
	try {
		const { stdout } = await promisify(execFile)("wrangler", args, { env });
		return z.parse(schema, JSON.parse(stdout));
	} catch (error) {
		// Not the error's message, which may quote a printed token.
		const reason = error instanceof Error && "stderr" in error ? `${error.stderr}` : "";
		throw new Error(`wrangler ${args.join(" ")} failed.\n${stripVTControlCharacters(reason)}`);
	}
}

/** Opens the namespace that a deployed Worker binds as PLANTS. Throws if there is none, or Wrangler or the API fails. */
export async function openDeployed(worker: string) {
	// In Wrangler's order: variables in the environment come first, then .env.local, then .env.
	for (const file of [".env.local", ".env"]) if (existsSync(file)) process.loadEnvFile(file);
	setGlobalProxyFromEnv();
	const [auth, listed] = await Promise.allSettled([
		wrangler(z.object({ token: z.optional(z.string()) }), "auth", "token", "--json"),
		wrangler(Ids, "kv", "namespace", "list"),
	]);
	if (auth.status === "rejected") throw auth.reason;
	const { token = "" } = auth.value;
	if (!/^[!-~]+$/.test(token))
		throw new Error("Wrangler's API token is missing, or can't be sent. Log in again.");
	const redacted = (text: string) => text.replaceAll(token, "…");
	if (listed.status === "rejected") throw new Error(redacted(listed.reason.message));
	const base = process.env["CLOUDFLARE_API_BASE_URL"] || "https://api.cloudflare.com/client/v4";
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	/** Calls the API, and retries if that may help. Its Errors have the status as their cause. */
	async function call<T>(schema: z.ZodMiniType<T>, path: string, body?: object): Promise<T> {
		const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
		for (let tries = 1; ; tries++) {
			let [status, after, problem] = [0, 0, ""];
			try {
				const signal = AbortSignal.timeout(120_000);
				const response = await fetch(`${base}${path}`, { ...init, signal });
				status = response.status;
				// Seconds, or a date (RFC 9110, section 10.2.3).
				const retryAfter = response.headers.get("Retry-After") ?? "";
				after = Number(retryAfter) * 1000 || Date.parse(retryAfter) - Date.now() || 0;
				const json: unknown = await response.json().catch(() => undefined);
				const { data } = z.safeParse(schema, json);
				if (response.ok && data && Object(json).success === true) return data;
				const reason = response.ok ? "an answer that can't be read" : response.statusText;
				problem = z.safeParse(Refusal, json).data?.errors[0]?.message ?? reason;
			} catch (error) {
				// Only the cause says why fetch failed, with a reason for each address.
				const cause = error instanceof Error ? (error.cause ?? error) : error;
				problem = (cause instanceof AggregateError ? cause.errors : [cause]).join(", ");
			}
			const hint = status === 401 || status === 403 ? `. The token needs ${PERMISSIONS}` : "";
			const where = `Cloudflare's API, ${path.split("?")[0]}`;
			const message = redacted(`${where}: ${status ? `${status} ` : ""}${problem}${hint}`);
			const maxTries = status === 429 ? 12 : status >= 400 && status < 500 ? 1 : 6;
			if (tries === maxTries) throw new Error(message, { cause: status });
			// At most five minutes, as long as the API blocks a caller that makes too many calls.
			const ms = Math.min(Math.max(300 * 2 ** (tries - 1), after), 300_000);
			if (ms > 10_000) console.error(`Waiting ${Math.round(ms / 1000)} s: ${message}`);
			await sleep(ms);
		}
	}

	// Wrangler does not say which account it uses: it is the one whose Worker has a namespace that Wrangler lists.
	const toml = readFileSync("wrangler.toml", "utf8").matchAll(/^\s*account_id\s*=\s*["'](\w+)/gm);
	const variable = process.env["CLOUDFLARE_ACCOUNT_ID"]?.match(/^\w+$/) ?? [];
	const ids = [...toml].map(([, id]) => id).concat(variable);
	const accessible = () => call(z.object({ result: Ids }), "/accounts?per_page=50");
	const accounts = ids.length ? ids : (await accessible()).result.map(({ id }) => id);
	const failures: Error[] = [];
	for (const account of accounts) {
		const path = `/accounts/${account}/workers/scripts/${encodeURIComponent(worker)}/settings`;
		const settings = await call(Settings, path).catch((error: Error) => void failures.push(error));
		const id = settings?.result.bindings.find(({ name }) => name === "PLANTS")?.namespace_id;
		if (!listed.value.some((namespace) => namespace.id === id)) continue;
		const name = `the KV of the Worker ${worker} in the account ${account}`;
		return { name, entries: () => entriesIn(`/accounts/${account}/storage/kv/namespaces/${id}`) };
	}
	const missing = `There is no Worker ${worker} with the binding PLANTS in the account ${accounts.join(" or ")}. Name it as it is deployed.`;
	throw failures.find(({ cause }) => cause !== 404) ?? new Error(missing);

	/** Yields a namespace's keys and values in KV's order, in batches; the value of a deleted key is null. */
	async function* entriesIn(namespace: string) {
		const seen = new Set<string>();
		for (let [cursor, empty] = ["", 0]; !seen.has(cursor);) {
			const query = new URLSearchParams({ limit: "1000", cursor });
			const page = await call(Page, `${namespace}/keys?${query}`);
			const keys = page.result.map(({ name }) => name);
			// A page may be empty and have the same cursor as its request, but not again and again.
			if (keys.length > 0 || ++empty > 10) seen.add(cursor);
			for (let from = 0; from < keys.length; from += 400) {
				yield await read(namespace, keys.slice(from, from + 400));
			}
			cursor = page.result_info.cursor;
			if (!cursor) return;
		}
		throw new Error("Cloudflare's API repeats a page of keys. Export again later.");
	}

	/** Reads the values of keys, in several calls at once: a call accepts 100 keys at most, and returns 25 MB at most. */
	async function read(kv: string, keys: string[]): Promise<[string, string | null][]> {
		if (keys.length <= 100) {
			try {
				const { result } = await call(valuesOf(keys), `${kv}/bulk/get`, { keys, type: "text" });
				return keys.map((key) => [key, result.values[key] ?? null]);
			} catch (error) {
				if (!(error instanceof Error && error.cause === 413 && keys.length > 1)) throw error;
			}
		}
		const half = Math.ceil(keys.length / 2);
		const halves = [keys.slice(0, half), keys.slice(half)];
		return (await Promise.all(halves.map((keys) => read(kv, keys)))).flat();
	}
}
