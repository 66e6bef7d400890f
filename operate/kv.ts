// The KV namespace of an environment, for what reads or writes all of it: that of `npm run dev`, in Wrangler's
// files, or a deployed one, through Cloudflare's REST API.
import { parseArgs } from "node:util";
import { openDeployed } from "./deployed-kv.ts";
import { openLocal } from "./local-kv.ts";
import { workerOf } from "./wrangler-toml.ts";

/** A key and its value. */
export type Entry = { key: string; value: string };

/** A KV namespace, wherever it is. */
export interface Namespace {
	/** What messages call it. */
	name: string;
	/** How many keys a call of `read` and of `write` may have at the most. */
	batch: { read: number; write: number };
	/** All keys, page by page. */
	keys(): AsyncIterable<string[]>;
	/** The values of keys; what has none is missing. */
	read(keys: string[]): Promise<Map<string, string>>;
	/** Writes values, in place of those that were there. */
	write(entries: Entry[]): Promise<void>;
	close(): void;
}

const OPTIONS = {
	remote: { type: "boolean", default: false },
	env: { type: "string", default: "" },
	into: { type: "string", default: "" },
} as const;

/** What the command line says: whether a deployed namespace is meant, of which Worker, and where to write to. */
export interface Target {
	remote: boolean;
	/** The Worker's name. */
	worker: string;
	into: string;
}

/**
 * Reads the command line: nothing for the KV of `npm run dev`, `--remote` for production's,
 * `--remote --env staging` for that of an environment in wrangler.toml.
 *
 * @throws Error for any other option, or an environment that wrangler.toml does not have
 */
export function parseTarget(): Target {
	const { remote, env, into } = parseArgs({ options: OPTIONS }).values;
	if (env && !remote)
		throw new Error("Add --remote: only a deployed environment has a KV of its own.");
	return { remote, worker: workerOf(env), into };
}

/** Opens the namespace that is bound as PLANTS. What is under way when the signal aborts, rejects. */
export async function openNamespace(target: Target, signal: AbortSignal): Promise<Namespace> {
	return target.remote ? openDeployed(target.worker, signal) : openLocal();
}
