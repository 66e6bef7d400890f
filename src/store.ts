// The write of a plant to Workers KV, and its retries.
import { HTTPException } from "hono/http-exception";
import { kvKey, kvValue, type Plant } from "./plant.ts";

/** The waits before the second, third and fourth attempt, in milliseconds. KV accepts one write per second to a key. */
const RETRY_DELAYS_MS = [1000, 1500, 2500];

/**
 * Stores a plant under its id, replacing any earlier one, and resolves once KV has acknowledged it.
 * A write that fails for a transient reason is tried again, for about six seconds.
 *
 * @throws HTTPException 503, with KV's own error as its cause, if KV did not acknowledge the plant
 */
export async function store(plants: KVNamespace, id: bigint, plant: Plant): Promise<void> {
	const key = kvKey(id);
	const value = kvValue(id, plant);
	for (let attempt = 0; ; attempt++) {
		try {
			return await plants.put(key, value);
		} catch (cause) {
			// Hono answers an exception only if it is an Error.
			if (!isKvError(cause)) throw cause instanceof Error ? cause : new TypeError(typeof cause);
			const delay = RETRY_DELAYS_MS[attempt];
			if (delay === undefined || !isTransient(cause)) {
				throw new HTTPException(503, {
					message: "The store did not acknowledge the plant. Send it again later.",
					cause,
				});
			}
			// Jitter keeps clients that write to the same key from colliding again.
			await scheduler.wait(delay * (1 + Math.random() / 4));
		}
	}
}

/** Whether an exception came from KV, such as `KV PUT failed: 429 Too Many Requests` or a lost connection. */
function isKvError(error: unknown): error is Error {
	return error instanceof Error && (error.message.startsWith("KV ") || "retryable" in error);
}

/** Whether a retry may help: after a lost connection, a 429 (too many writes to a key) or a fault in KV. */
function isTransient(error: Error & { retryable?: unknown }): boolean {
	return error.retryable === true || /^KV \w+ failed: (429|5)/.test(error.message);
}
