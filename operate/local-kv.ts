// The KV of `npm run dev`, in the files of Wrangler's local simulation: a row in an SQLite table for each key, and
// its value in a file. Through a binding each value would take one to two milliseconds, and 100,000 of them minutes.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import type { KVNamespace } from "@cloudflare/workers-types";
import type { Entry, Namespace } from "./kv.ts";
import { readConfig } from "./wrangler-toml.ts";

/** How long to wait for a `npm run dev` that writes at the same time, in milliseconds. */
const TIMEOUT_MS = 10_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Opens the local namespace that is bound as PLANTS in the wrangler.toml of this folder. */
export function openLocal(): Namespace {
	const { kv_namespaces } = readConfig();
	const id = kv_namespaces.find(({ binding }) => binding === "PLANTS")?.id ?? "PLANTS";
	const state = resolve(".wrangler/state/v3");
	const blobs = join(state, "kv", id, "blobs");
	const path = join(state, "kv", OBJECTS, `${objectId(id)}.sqlite`);
	let opened: DatabaseSync | undefined;
	const database = () => {
		if (!existsSync(path))
			throw new Error("There is no local KV yet: create a plant in npm run dev first.");
		opened ??= new DatabaseSync(path, { timeout: TIMEOUT_MS });
		return opened;
	};
	const blobOf = (key: string) => {
		const row = database().prepare("SELECT blob_id FROM _mf_entries WHERE key = ?").get(key);
		return row && join(blobs, `${row["blob_id"]}`);
	};
	return {
		name: "npm run dev",
		batch: { read: 100, write: 1000 },
		async *keys() {
			const rows = database().prepare("SELECT key FROM _mf_entries ORDER BY key").all();
			yield rows.map(({ key }) => `${key}`);
		},
		async read(keys) {
			// The event loop must turn now and then, or Ctrl-C would not be noticed.
			await turn();
			const values = new Map<string, string>();
			for (const key of keys) {
				const blob = blobOf(key);
				if (blob) values.set(key, textOf(readFileSync(blob)));
			}
			return values;
		},
		async write(entries) {
			// The event loop must turn now and then, or Ctrl-C would not be noticed.
			await turn();
			if (!existsSync(path)) await create(state, id, entries);
			const rows = entries.map(({ key, value }) => ({
				key,
				value,
				blob: randomBytes(40).toString("hex"),
			}));
			for (const { value, blob } of rows) writeFileSync(join(blobs, blob), value);
			const replaced = entries.map(({ key }) => blobOf(key));
			database().exec("BEGIN IMMEDIATE");
			const replace = database().prepare("REPLACE INTO _mf_entries (key, blob_id) VALUES (?, ?)");
			for (const { key, blob } of rows) replace.run(key, blob);
			database().exec("COMMIT");
			for (const blob of replaced) if (blob) rmSync(blob, { force: true });
		},
		close: () => opened?.close(),
	};
}

/** The class of the Durable Objects that keep the local namespaces. */
const OBJECTS = "miniflare-KVNamespaceObject";

/** The id of the Durable Object that keeps a namespace, which its file is named after. */
function objectId(namespace: string): string {
	const key = createHash("sha256").update(OBJECTS).digest();
	const name = createHmac("sha256", key).update(namespace).digest().subarray(0, 16);
	const check = createHmac("sha256", key).update(name).digest().subarray(0, 16);
	return Buffer.concat([name, check]).toString("hex");
}

/** Lets Wrangler make a namespace's files, by storing the first of some entries. */
async function create(state: string, id: string, [first]: Entry[]) {
	if (!first) return;
	// A configuration with nothing but the namespace, so that no secret is asked for and nothing is built.
	const folder = mkdtempSync(join(tmpdir(), "plant-store-kv-"));
	const configPath = join(folder, "wrangler.json");
	const { compatibility_date } = readConfig();
	const kv_namespaces = [{ binding: "PLANTS", id }];
	writeFileSync(configPath, JSON.stringify({ name: "local", compatibility_date, kv_namespaces }));
	try {
		const { getPlatformProxy } = await import("wrangler");
		const { env, dispose } = await getPlatformProxy<{ PLANTS: KVNamespace }>({
			configPath,
			persist: { path: state },
		});
		await env.PLANTS.put(first.key, first.value);
		await dispose();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** A value as text; one that is not UTF-8, and so no plant's, as none. */
function textOf(value: Buffer): string {
	try {
		return utf8.decode(value);
	} catch {
		return "";
	}
}
