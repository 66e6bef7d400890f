// `npm run export -- FILE NAMESPACE_ID` exports a KV namespace to a new file, for `wrangler kv bulk
// put`: a JSON array, in KV's order, one entry per line.
// The API: https://developers.cloudflare.com/api/resources/kv/
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import ky, { isHTTPError, type KyInstance, SchemaValidationError } from "ky";
import * as z from "zod/mini";

/** A key with its value, which is null if the key was deleted after it was listed. */
type Entry = { key: string; value: string | null };

const Page = z.object({
	success: z.literal(true),
	result: z.array(z.object({ name: z.string() })),
	result_info: z.object({ cursor: z.nullish(z.string()) }),
});
// z.record would lose a key named __proto__.
const KeyedValues = z.object({ values: z.instanceof(Object) });
const Values = z.object({ success: z.literal(true), result: KeyedValues });
const Refusal = z.object({ errors: z.array(z.object({ message: z.string() })) });

const NO_TOKEN =
	"CLOUDFLARE_API_TOKEN is missing or malformed. Unset it if it is set, run npx wrangler login, and put CLOUDFLARE_API_TOKEN=$(npx wrangler auth token --json | jq -r .token) before the command.";

/** Returns a client for a namespace in the API. Throws if the id or a variable cannot be right. */
function open(namespaceId: string): KyInstance {
	const account = process.env["CLOUDFLARE_ACCOUNT_ID"] ?? "";
	const token = process.env["CLOUDFLARE_API_TOKEN"] ?? "";
	const base = process.env["CLOUDFLARE_API_BASE_URL"] || "https://api.cloudflare.com/client/v4";
	if (!/^[0-9a-f]{32}$/.test(namespaceId)) {
		throw new Error(`${namespaceId} is not a namespace's id: see npx wrangler kv namespace list`);
	}
	if (!account) throw new Error("Set CLOUDFLARE_ACCOUNT_ID: npx wrangler whoami prints it");
	// For other characters, fetch throws a message that quotes the token.
	if (!/^[!-~]+$/.test(token)) throw new Error(NO_TOKEN);
	return ky.create({
		prefix: `${base}/accounts/${account}/storage/kv/namespaces/${namespaceId}`,
		headers: { Authorization: `Bearer ${token}` },
		fetch: fetchWhole,
		timeout: 120_000,
		// Five retries take nine seconds. After 429 or 503, each waits as long as Retry-After says.
		retry: {
			limit: 5,
			methods: ["get", "post"],
			statusCodes: [408, 429, 500, 502, 503, 504, 520, 522, 524],
			maxRetryAfter: 300_000,
			retryOnTimeout: true,
		},
	});
}

/** Fetches a response with its body, so that ky retries a cut body, too. Reports a long wait. */
async function fetchWhole(...request: Parameters<typeof fetch>): Promise<Response> {
	const response = await fetch(...request);
	const mayWait = [429, 503].includes(response.status);
	const retryAfter = mayWait && response.headers.get("Retry-After");
	if (retryAfter) console.error(`Cloudflare's API asks to wait (Retry-After: ${retryAfter}).`);
	return new Response(await response.arrayBuffer(), response);
}

/** Yields the entries of a namespace in KV's order. */
async function* entriesOf(namespace: KyInstance): AsyncGenerator<Entry> {
	let repetitions = 0;
	let cursor = "";
	do {
		const searchParams = cursor ? { cursor } : {};
		const { result, result_info } = await namespace.get("keys", { searchParams }).json(Page);
		for (let from = 0; from < result.length; from += 100) {
			const keys = result.slice(from, from + 100).map(({ name }) => name);
			yield* await read(namespace, keys);
		}
		const isRepeated = cursor !== "" && cursor === result_info.cursor;
		repetitions = isRepeated ? repetitions + 1 : 0;
		// An empty page may repeat its request's cursor, but not endlessly.
		if (repetitions > 10 || (isRepeated && result.length > 0)) {
			throw new Error("Cloudflare's API repeats a page. Export again later.");
		}
		cursor = result_info.cursor ?? "";
	} while (cursor);
}

/** Returns the entries with these keys, 100 at most. The API refuses more than 25 MB at once. */
async function read(namespace: KyInstance, keys: string[]): Promise<Entry[]> {
	try {
		const json = { keys, type: "text" };
		const { result } = await namespace.post("bulk/get", { json }).json(Values);
		const values = new Map<string, unknown>(Object.entries(result.values));
		return keys.map((key) => {
			const value = values.get(key);
			if (typeof value === "string" || value === null) return { key, value };
			throw new Error(`The value of the key ${JSON.stringify(key)} is missing or not text.`);
		});
	} catch (error) {
		const isTooLarge = isHTTPError(error) && error.response.status === 413;
		if (!isTooLarge || keys.length === 1) throw error;
	}
	const half = Math.ceil(keys.length / 2);
	const first = await read(namespace, keys.slice(0, half));
	return first.concat(await read(namespace, keys.slice(half)));
}

/** Exports a namespace to a file, which appears once it is whole. An existing file is refused. */
async function exportTo(path: string, namespace: KyInstance) {
	refuseExisting(path);
	fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const unfinished = `${path}.unfinished`;
	const output = fs.openSync(unfinished, "wx", 0o600);
	process.on("exit", () => fs.rmSync(unfinished, { force: true }));
	let listed = 0;
	let exported = 0;
	for await (const entry of entriesOf(namespace)) {
		listed++;
		if (entry.value === null) continue;
		fs.appendFileSync(output, `${exported === 0 ? "[" : ","}\n${JSON.stringify(entry)}`);
		exported++;
	}
	if (exported === 0) throw new Error("The namespace is empty. Is it the right one?");
	fs.appendFileSync(output, "\n]\n");
	fs.fsyncSync(output);
	fs.closeSync(output);
	refuseExisting(path);
	fs.renameSync(unfinished, path);
	const deleted = exported < listed ? ` (${listed - exported} deleted meanwhile)` : "";
	console.log(`Exported ${exported} ${exported === 1 ? "key" : "keys"}${deleted} to ${path}`);
}

/** Throws if a file exists, which the export would replace. */
function refuseExisting(path: string) {
	if (fs.existsSync(path)) throw new Error(`${path} exists. Give the export a new name.`);
}

/** Returns the reason for a failure, without the token and values, which a SyntaxError quotes. */
function reasonOf(error: unknown): string {
	if (isHTTPError(error)) {
		const { status, statusText } = error.response;
		const message = z.safeParse(Refusal, error.data).data?.errors[0]?.message ?? statusText;
		const redacted = message.replaceAll(`${process.env["CLOUDFLARE_API_TOKEN"]}`, "…");
		const reason = `Cloudflare's API answered ${status}: ${redacted}`;
		if (![400, 401, 403, 404].includes(status)) return reason;
		return `${reason}. Check NAMESPACE_ID (npx wrangler kv namespace list), CLOUDFLARE_ACCOUNT_ID, and that the API token has the permission Workers KV Storage: Read.`;
	}
	if (error instanceof SyntaxError || error instanceof SchemaValidationError) {
		return "Cloudflare's API gave an answer that cannot be read. Export again later.";
	}
	const messages: string[] = [];
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		messages.push(cause instanceof AggregateError ? cause.errors.join(", ") : cause.message);
	}
	return messages.join(": ");
}

/** Ends the process, which removes the unfinished file. */
function fail(reason: string, status: number): never {
	console.error(`Not exported: ${reason}`);
	process.exit(status);
}

for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
	process.on(signal, (name, number) => fail(`interrupted by ${name}`, 128 + number));
}
const [file = "", namespaceId, ...more] = process.argv.slice(2);
if (!namespaceId || more.length > 0) fail("the command is npm run export -- FILE NAMESPACE_ID", 2);
try {
	// npm runs scripts in the project's folder. INIT_CWD is the folder that npm was started in.
	await exportTo(resolve(process.env["INIT_CWD"] ?? "", file), open(namespaceId));
} catch (error) {
	fail(reasonOf(error), 1);
}
