// The plants in Workers KV: keys and values, the retries, and the exception if KV fails for good.
import { HTTPException } from "hono/http-exception";
import type { Plant } from "./plant.ts";

/** The shortest waits between attempts. KV accepts one write per second to a key. */
const RETRY_DELAYS_MS = [1000, 1500, 2500];

/** KV did not acknowledge an operation. The cause is KV's own message, which quotes no value. */
export class StoreFailure extends HTTPException {
	/** The key in KV, which is the plant's id. */
	readonly key: string;

	constructor(key: string, cause: string) {
		const message = "The store did not acknowledge the request. Send it again later.";
		super(503, { message, cause });
		this.key = key;
	}
}

/**
 * Stores a plant, and resolves once KV has acknowledged it. The key is the id in decimal, such as
 * `-5`. The value is `{"id":…,"name":…,"tag":…}`, with the id as an exact JSON number.
 *
 * @throws StoreFailure if KV did not acknowledge the write
 */
export function storePlant(plants: KVNamespace, id: bigint, plant: Plant): Promise<void> {
	const key = `${id}`;
	const value = `{"id":${id},${JSON.stringify(plant).slice(1)}`;
	return withRetries(key, () => plants.put(key, value));
}

/**
 * Runs an operation on a key in KV, and resolves to its result. After a transient failure, it tries
 * again, with waits that grow. An attempt has no time limit of its own.
 *
 * @throws StoreFailure if KV did not acknowledge the operation
 */
export async function withRetries<T>(key: string, operation: () => Promise<T>): Promise<T> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await operation();
		} catch (error) {
			// Hono answers an exception only if it is an Error.
			if (!(error instanceof Error))
				throw new TypeError("KV threw a value that is no Error.", { cause: error });
			if (!isKvError(error)) throw error;
			const delay = RETRY_DELAYS_MS[attempt];
			if (delay === undefined || !isTransient(error)) throw new StoreFailure(key, error.message);
			// Jitter keeps clients that write to the same key from colliding again.
			await scheduler.wait(delay * (1 + Math.random() / 4));
		}
	}
}

/** Whether an exception is KV's, such as `KV PUT failed: 429 Too Many Requests`. */
function isKvError(error: Error): boolean {
	return error.message.startsWith("KV ") || "retryable" in error;
}

/** Whether a retry may help: after a lost connection, a 429 (too many writes) or a fault in KV. */
function isTransient(error: Error & { retryable?: unknown }): boolean {
	return error.retryable === true || /^KV \w+ failed: (429|5)/.test(error.message);
}
