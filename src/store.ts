// Where plants are kept: Workers KV, with a key and a value for each.
import { HTTPException } from "hono/http-exception";
import type { NewPlant } from "./plant.ts";

/** Milliseconds until the second, third and fourth try: KV takes one write a second for a key. */
const WAITS = [1000, 1500, 2500];

/**
 * Stores a plant under its id, in place of the one that was there, and returns once KV has
 * acknowledged it. The key is the id in decimal, the value `{"id":…,"name":…,"tag":…}` with the id
 * as an exact JSON number. A write that can get better is tried again, for about six seconds in all.
 *
 * @throws HTTPException 503, its cause KV's own error, where KV did not acknowledge the plant
 */
export async function store(plants: KVNamespace, { id, name, tag }: NewPlant): Promise<void> {
	const key = `${id}`;
	const value = `{"id":${key},${JSON.stringify({ name, tag }).slice(1)}`;
	for (const wait of [...WAITS, undefined]) {
		try {
			return await plants.put(key, value);
		} catch (cause) {
			if (!isKvError(cause)) throw cause instanceof Error ? cause : new TypeError(typeof cause);
			if (wait === undefined || !canGetBetter(cause)) {
				throw new HTTPException(503, {
					message: "The store did not take the plant. Send it again a little later: that is safe.",
					cause,
				});
			}
			// Jitter keeps clients that write to the same key from meeting again.
			await scheduler.wait(wait * (1 + Math.random() / 4));
		}
	}
}

/** Whether an exception is KV's: `KV PUT failed: 429 Too Many Requests` and the like, or a lost connection. */
export function isKvError(error: unknown): error is Error {
	return error instanceof Error && (error.message.startsWith("KV ") || "retryable" in error);
}

/** Whether KV may take the same write later: a lost connection, too many writes to the key, a fault of KV's. */
function canGetBetter(error: Error & { retryable?: unknown }): boolean {
	return error.retryable === true || /^KV PUT failed: (429|5)/.test(error.message);
}
