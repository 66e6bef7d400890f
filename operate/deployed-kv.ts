// The KV of a deployed Worker, through Cloudflare's REST API (https://developers.cloudflare.com/api/resources/kv/), in
// the account and with the API token that Wrangler uses in this folder.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setGlobalProxyFromEnv } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import * as z from "zod/mini";

/** How many values a call may ask for, and how many calls are made at once. */
const BATCH = 100;
const AT_ONCE = 5;

/** The longest wait in milliseconds: the API blocks those who make too many calls for five minutes. */
const LONGEST_MS = 5 * 60_000;

const PERMISSIONS = "It needs these permissions: Workers Scripts, Read; Workers KV Storage, Read";

const Token = z.object({ token: z.optional(z.string()) });
const Ids = z.array(z.object({ id: z.string() }));
const Accounts = z.object({ accounts: Ids });
const Refusal = z.object({ errors: z.array(z.object({ message: z.string() })) });
const Binding = z.object({ name: z.string(), namespace_id: z.optional(z.string()) });
const Settings = z.object({ result: z.object({ bindings: z.array(Binding) }) });
const Page = z.object({
	result: z.array(z.object({ name: z.string() })),
	result_info: z.object({ cursor: z.string() }),
});
const Values = z.object({
	result: z.object({ values: z.custom<object>((json) => json instanceof Object) }),
});

/** The values of these keys: none may be missing. (z.record would lose a key named __proto__.) */
const entriesOf = (keys: string[]) =>
	z.pipe(
		z.pipe(
			Values,
			z.transform(({ result }) => {
				const values = new Map<string, unknown>(Object.entries(result.values));
				return keys.map((key) => [key, values.get(key)]);
			}),
		),
		z.array(z.tuple([z.string(), z.nullable(z.string())])),
	);

/** What a command of Wrangler's prints as JSON. */
async function wrangler<T>(schema: z.ZodMiniType<T>, ...args: string[]): Promise<T> {
	const env = { ...process.env, WRANGLER_LOG: "log", WRANGLER_SEND_METRICS: "false" };
	const { stdout } = await promisify(execFile)("wrangler", args, { env }).catch((error) => {
		const reason = stripVTControlCharacters(error.stderr || error.message).trim();
		throw new Error(`wrangler ${args.join(" ")} failed:\n${reason}`);
	});
	return z.parse(schema, JSON.parse(stdout));
}

/** The message of an error, with that of its cause: fetch says only there why it failed, once an address. */
function messageOf(error: unknown): string {
	if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
	if (!(error instanceof Error)) return `${error}`;
	return error.cause ? `${error.message}, ${messageOf(error.cause)}` : error.message;
}

/** Milliseconds until the time in Retry-After (RFC 9110, section 10.2.3): so many seconds, or a date. */
function retryAfter(headers: Headers): number {
	const value = headers.get("Retry-After") ?? "";
	return (/^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()) || 0;
}

/**
 * Opens the namespace that a deployed Worker has as PLANTS.
 *
 * @throws Error where there is none, or Wrangler or the API refuses
 */
export async function openDeployed(worker: string) {
	// As Wrangler does: what is in the environment comes first.
	for (const file of [".env.local", ".env"]) if (existsSync(file)) process.loadEnvFile(file);
	setGlobalProxyFromEnv();
	const [auth, listed, user] = await Promise.allSettled([
		wrangler(Token, "auth", "token", "--json"),
		wrangler(Ids, "kv", "namespace", "list"),
		wrangler(Accounts, "whoami", "--json"),
	]);
	if (auth.status === "rejected") throw auth.reason;
	const { token } = auth.value;
	if (!token) throw new Error("Wrangler has no API token. (A global API key won't do.)");
	if (!/^[!-~]+$/.test(token)) throw new Error("the API token has a character that none can have.");
	const redacted = (text: string) => text.replaceAll(token, "…");
	if (listed.status === "rejected") throw new Error(redacted(messageOf(listed.reason)));

	const base = process.env["CLOUDFLARE_API_BASE_URL"] || "https://api.cloudflare.com/client/v4";
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	/** Calls the API, again where that may help. An Error has the status as its cause. */
	async function call<T>(schema: z.ZodMiniType<T>, path: string, body?: object): Promise<T> {
		const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
		for (let tries = 1; ; tries++) {
			let [status, after, problem] = [0, 0, ""];
			try {
				const signal = AbortSignal.timeout(120_000);
				const response = await fetch(`${base}${path}`, { ...init, signal });
				const json: unknown = await response.json().catch(() => undefined);
				const { data } = z.safeParse(schema, json);
				if (response.ok && data !== undefined) return data;
				const reason = response.ok ? "an answer that can't be read" : response.statusText;
				problem = z.safeParse(Refusal, json).data?.errors[0]?.message ?? reason;
				status = response.status;
				after = retryAfter(response.headers);
			} catch (error) {
				problem = messageOf(error);
			}
			const hint = status === 401 || status === 403 ? `. ${PERMISSIONS}` : "";
			const where = `Cloudflare's API, ${path.split("?")[0]}`;
			const message = redacted(`${where}: ${problem} (${status})${hint}`);
			const isFinal = status >= 400 && status < 500 && status !== 429;
			if (isFinal || tries === (status === 429 ? 12 : 6))
				throw new Error(message, { cause: status });
			const ms = Math.min(Math.max(1000 * 2 ** (tries - 1), after), LONGEST_MS);
			if (ms > 10_000) console.error(`Waiting ${Math.round(ms / 1000)} s: ${message}`);
			await sleep(ms);
		}
	}

	/** All keys and values of a namespace in KV's order, some at a time; null for a deleted one. */
	async function* entries(namespace: string) {
		const seen = new Set<string>();
		for (let cursor = ""; !seen.has(cursor);) {
			seen.add(cursor);
			const query = new URLSearchParams({ limit: "1000", cursor });
			const { result, result_info } = await call(Page, `${namespace}/keys?${query}`);
			yield* values(
				namespace,
				result.map(({ name }) => name),
			);
			cursor = result_info.cursor;
			if (!cursor) return;
		}
		throw new Error("Cloudflare's API repeats a page of keys.");
	}

	async function* values(namespace: string, keys: string[]) {
		for (let size = BATCH; keys.length > 0;) {
			const parts = Array.from({ length: AT_ONCE }, (_, n) => keys.slice(n * size, (n + 1) * size));
			const get = (keys: string[]) =>
				call(entriesOf(keys), `${namespace}/bulk/get`, { keys, type: "text" });
			try {
				yield* await Promise.all(parts.filter(({ length }) => length).map(get));
				keys = keys.slice(AT_ONCE * size);
			} catch (error) {
				// Together they have more than 25 MB.
				if (!(error instanceof Error && error.cause === 413 && size > 1)) throw error;
				size = Math.ceil(size / 2);
			}
		}
	}

	// Wrangler does not tell the account that a deploy goes to. It is the one of these whose Worker has a namespace that
	// Wrangler lists.
	const config = readFileSync("wrangler.toml", "utf8");
	const accounts = new Set([
		...[...config.matchAll(/^\s*account_id\s*=\s*["'](\w+)/gm)].map(([, id]) => id),
		process.env["CLOUDFLARE_ACCOUNT_ID"],
		...(user.status === "fulfilled" ? user.value.accounts.map(({ id }) => id) : []),
	]);
	const problems: string[] = [];
	for (const account of accounts) {
		if (!account) continue;
		const script = `/accounts/${account}/workers/scripts/${encodeURIComponent(worker)}`;
		const settings = await call(Settings, `${script}/settings`).catch((error: Error) => error);
		if (settings instanceof Error) {
			const missing = `There is no Worker ${worker} in the account ${account}.`;
			problems.push(settings.cause === 404 ? missing : settings.message);
			continue;
		}
		const id = settings.result.bindings.find(({ name }) => name === "PLANTS")?.namespace_id;
		if (!listed.value.some((namespace) => namespace.id === id)) continue;
		const name = `the KV of the Worker ${worker} in the account ${account}`;
		return { name, entries: () => entries(`/accounts/${account}/storage/kv/namespaces/${id}`) };
	}
	throw new Error(problems.join("\n") || `Wrangler lists no KV of a Worker ${worker}.`);
}
