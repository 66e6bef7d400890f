// A KV namespace, for what reads or writes all of it, wherever it is.

/** A key and its value. */
export type Entry = { key: string; value: string };

/** The namespace that is bound as PLANTS. All of it is read and written in parts, as large as they may be. */
export interface Namespace {
	/** All keys, in KV's order. */
	keys(): AsyncIterable<string[]>;
	/** The values of keys: null where there is none. */
	read(keys: string[]): AsyncIterable<[key: string, value: string | null][]>;
	/** Writes values in place of those that were there, and says how many more are written. */
	write(entries: Entry[]): AsyncIterable<number>;
	close(): Promise<void>;
}

/** Parts of at most so many. */
export function* parts<T>(all: T[], size: number): Generator<T[]> {
	for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
