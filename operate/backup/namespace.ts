// A KV namespace as export and restore see it, whether it is local or deployed.

/** A key and its value. */
export type Entry = { key: string; value: string };

/** The namespace that is bound as PLANTS. It is read and written in parts, each as large as it can be. */
export interface Namespace {
	/** All keys, in KV's order. */
	keys(): AsyncIterable<string[]>;
	/** The values of keys: null where there is none. */
	read(keys: string[]): AsyncIterable<[key: string, value: string | null][]>;
	/** Writes values, in place of those that were there, and yields how many more are written. */
	write(entries: Entry[]): AsyncIterable<number>;
	close(): Promise<void>;
}

/** Splits a list into parts of at most this size. */
export function* parts<T>(all: T[], size: number): Generator<T[]> {
	for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
