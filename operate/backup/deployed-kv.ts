// A deployed KV namespace, through Cloudflare's REST API (https://developers.cloudflare.com/api/resources/kv/): many
// keys a call, within the API's limit of calls.
import { execFileSync } from "node:child_process";
import * as z from "zod/mini";
import { messageOf } from "../options.ts";
import { readConfig } from "../wrangler-toml.ts";
import { type Entry, type Namespace, parts } from "./namespace.ts";
import { wait } from "./progress.ts";

/** How many calls in five minutes. The API allows a user 1,200, and blocks further ones for five minutes. */
const CALLS = 1150;
const CALLS_MS = 5 * 60_000;

/** Milliseconds to wait before another attempt at a call that failed, unless the API says how long. */
const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000, 16_000];

/** How many keys a call reads, and how many it writes, of how many characters (the API takes 100 MB). */
const READ = 100;
const WRITE = 10_000;
const WRITE_SIZE = 25_000_000;

const Refusal = z.object({ errors: z.array(z.object({ message: z.string() })) });
const Page = z.optional(z.object({ cursor: z.optional(z.string()) }));
const Account = z.object({ id: z.string(), name: z.string() });
const Binding = z.object({ name: z.string(), namespace_id: z.optional(z.string()) });
const Settings = z.object({ bindings: z.array(Binding) });
// Not z.record, which loses a key named __proto__.
const Values = z.object({ values: z.custom<object>((values) => Object(values) === values) });
const Written = z.object({ unsuccessful_keys: z.optional(z.array(z.string())) });

const PERMISSIONS =
	"The token needs these permissions in the account: Workers Scripts, Read; Workers KV Storage, Read to export and Edit to restore";

/** Opens the namespace that a deployed Worker has as PLANTS. */
export async function openDeployed(worker: string): Promise<Namespace> {
	const token = process.env["CLOUDFLARE_API_TOKEN"] || loggedIn();
	const base = process.env["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";
	const started: number[] = [];

	/** Calls the API as its limit allows, and again where that may help. An Error has the status as its cause. */
	async function call<T>(schema: z.ZodMiniType<T>, path: string, method = "GET", body?: unknown) {
		const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
		const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers };
		for (let attempt = 0; ; attempt++) {
			const full = Math.max((started.at(-CALLS) ?? 0) + CALLS_MS - Date.now(), 0);
			started.push(Date.now() + full);
			await wait(full, `Cloudflare's API takes ${CALLS} calls in five minutes.`);
			const { answer, status, after, problem } = await ask(schema, `${base}${path}`, init);
			if (answer) return answer;
			const delay = RETRY_DELAYS_MS[attempt];
			const hint = status === 401 || status === 403 ? `. ${PERMISSIONS}` : "";
			const message = `Cloudflare's API, ${path.split("?")[0]}: ${problem}${hint}`;
			const isFinal = status >= 400 && status < 500 && status !== 429;
			if (isFinal || delay === undefined) throw new Error(message, { cause: status });
			await wait(Math.max(delay, after), message);
		}
	}

	async function onlyAccount() {
		const { result } = await call(z.array(Account), "/accounts");
		if (result.length === 1 && result[0]) return result[0].id;
		const names = result.map(({ id, name }) => `${id} (${name})`).join(", ");
		throw new Error(`Set CLOUDFLARE_ACCOUNT_ID to one of the token's accounts: ${names}`);
	}
	const { account_id = process.env["CLOUDFLARE_ACCOUNT_ID"] || (await onlyAccount()) } =
		readConfig();
	const account = `/accounts/${account_id}`;
	const settings = `${account}/workers/scripts/${worker}/settings`;
	const { result } = await call(Settings, settings).catch((error: unknown) => {
		const isMissing = error instanceof Error && error.cause === 404;
		const message = `There is no Worker ${worker} in this account. Deploy first, or check --env.`;
		throw isMissing ? new Error(message) : error;
	});
	const id = result.bindings.find(({ name }) => name === "PLANTS")?.namespace_id;
	if (!id) throw new Error(`The Worker ${worker} has no KV namespace that is bound as PLANTS.`);
	const path = `${account}/storage/kv/namespaces/${id}`;

	/** The values of keys, in several calls if they are too large for one: the API returns at most 25 MB. */
	async function get(keys: string[]): Promise<[string, unknown][]> {
		try {
			const { result } = await call(Values, `${path}/bulk/get`, "POST", { keys, type: "text" });
			return Object.entries(result.values);
		} catch (error) {
			if (!(error instanceof Error && error.cause === 413 && keys.length > 1)) throw error;
			const halves = [...parts(keys, Math.ceil(keys.length / 2))];
			return (await Promise.all(halves.map(get))).flat();
		}
	}

	return {
		async *keys() {
			for (let cursor: string | undefined = ""; cursor !== undefined;) {
				const query = new URLSearchParams({ limit: "1000", cursor });
				const page = await call(z.array(z.object({ name: z.string() })), `${path}/keys?${query}`);
				yield page.result.map(({ name }) => name);
				cursor = page.result_info?.cursor || undefined;
			}
		},
		async *read(keys) {
			// Four calls at a time.
			for (const part of parts(keys, 4 * READ)) {
				const values = (await Promise.all([...parts(part, READ)].map(get))).flat();
				yield values.map(([key, value]) => [key, typeof value === "string" ? value : null]);
			}
		},
		async *write(entries) {
			for (const body of bodies(entries)) {
				const { result } = await call(Written, `${path}/bulk`, "PUT", body);
				const { unsuccessful_keys: failed = [] } = result;
				if (failed.length) {
					throw new Error(
						`KV did not take ${failed.length} of ${body.length} plants, such as ${failed[0]}.`,
					);
				}
				yield body.length;
			}
		},
		async close() {},
	};
}

/** Makes a call. Returns its answer; or a problem, with the status if there is one, and how long to wait, in ms. */
async function ask<T>(result: z.ZodMiniType<T>, url: string, init: RequestInit) {
	const Answer = z.object({ result, result_info: Page });
	let [status, after, problem] = [0, 0, "an answer that can't be read"];
	try {
		const response = await fetch(url, { ...init, signal: AbortSignal.timeout(120_000) });
		if (!response.ok) {
			status = response.status;
			after = retryAfter(response.headers) ?? (status === 429 ? CALLS_MS : 0);
			problem = `${response.statusText} (${status})`;
		}
		const json: unknown = await response.json();
		if (response.ok) return { answer: z.safeParse(Answer, json).data, status, after, problem };
		const [refusal] = z.safeParse(Refusal, json).data?.errors ?? [];
		if (refusal) problem = `${refusal.message} (${status})`;
	} catch (error) {
		// What is not JSON has its problem already: the parser's message would quote it.
		if (!status && !(error instanceof SyntaxError)) problem = messageOf(error);
	}
	return { answer: undefined, status, after, problem };
}

/** Milliseconds until the time in Retry-After (RFC 9110, section 10.2.3): so many seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
	const value = headers.get("Retry-After") ?? "";
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return Number.isNaN(ms) ? undefined : ms;
}

/** Splits entries into parts that one call takes. */
function* bodies(entries: Entry[]): Generator<Entry[]> {
	let [body, size]: [Entry[], number] = [[], 0];
	for (const entry of entries) {
		const { length } = entry.value;
		if (body.length === WRITE || (body.length > 0 && size + length > WRITE_SIZE)) {
			yield body;
			[body, size] = [[], 0];
		}
		body.push(entry);
		size += length;
	}
	yield body;
}

/** The token from `wrangler login`. */
function loggedIn(): string {
	try {
		const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
		const options = { encoding: "utf8", stdio: "pipe", env } as const;
		const output = execFileSync("wrangler", ["auth", "token", "--json"], options);
		return z.parse(z.object({ token: z.string() }), JSON.parse(output)).token;
	} catch {
		throw new Error("Log in first, with npx wrangler login, or set CLOUDFLARE_API_TOKEN.");
	}
}
