// The plants in Workers KV: keys and values, the retries, and the exception if KV fails.
import { HTTPException } from "hono/http-exception";
import type { Plant } from "./plant.ts";

/** How long after the first attempt a retry may still begin. */
const RETRY_PERIOD_MS = 8000;
/** The shortest wait before the first retry. KV accepts one write per second to a key. */
const FIRST_DELAY_MS = 1000;

/** KV did not acknowledge a write. The cause is KV's own message, which quotes no value. */
export class StoreException extends HTTPException {
	/** The plant's id in decimal, which is its key in KV. */
	readonly id: string;

	constructor(id: string, cause: string) {
		const message = "The store did not acknowledge the request. Send it again later.";
		super(503, { message, cause });
		this.id = id;
	}
}

/**
 * Stores a plant, and resolves once KV has acknowledged it. The key is the id in decimal, such as
 * `-5`. The value is `{"id":…,"name":…,"tag":…}`, with the id as an exact JSON number.
 *
 * After a transient exception, it tries again, with waits that grow. No attempt begins later than
 * eight seconds after the first, so there are at most four. Each takes as long as KV does, without
 * a limit.
 *
 * @throws StoreException if KV did not acknowledge the write
 */
export async function storePlant(plants: KVNamespace, id: bigint, plant: Plant): Promise<void> {
	const key = `${id}`;
	const value = `{"id":${id},${JSON.stringify(plant).slice(1)}`;
	const deadline = Date.now() + RETRY_PERIOD_MS;
	for (let delay = FIRST_DELAY_MS; ; delay *= 1.5) {
		try {
			return await plants.put(key, value);
		} catch (exception) {
			if (!isKvException(exception)) throw exception;
			// Jitter keeps clients that write to the same key from colliding again.
			const wait = delay * (1 + Math.random() / 4);
			const mayRetry = isTransient(exception) && Date.now() + wait <= deadline;
			if (!mayRetry) throw new StoreException(key, exception.message);
			await scheduler.wait(wait);
		}
	}
}

/** An exception of KV's. After a lost connection, it has the member `retryable`. */
type KvException = Error & { retryable?: unknown };

/** Whether an exception is KV's, such as `KV PUT failed: 429 Too Many Requests`. */
function isKvException(exception: unknown): exception is KvException {
	return (
		exception instanceof Error && (exception.message.startsWith("KV ") || "retryable" in exception)
	);
}

/** Whether a retry may help: after a lost connection, a 429 (too many writes) or a KV outage. */
function isTransient({ message, retryable }: KvException): boolean {
	return retryable === true || /^KV PUT failed: (429|5)/.test(message);
}
