// Operations on Workers KV: their retries, and the exception if KV fails for good.
import { HTTPException } from "hono/http-exception";

/** The shortest waits before the second, third and fourth attempt, in milliseconds. KV accepts one write per second to a key. */
const RETRY_DELAYS_MS = [1000, 1500, 2500];

/** KV did not acknowledge an operation. */
export class StoreFailure extends HTTPException {
	/** KV's own message, such as `KV PUT failed: 429 Too Many Requests`. It quotes neither key nor value. */
	readonly reason: string;

	constructor(reason: string) {
		super(503, { message: "The store did not acknowledge the request. Send it again later." });
		this.reason = reason;
	}
}

/**
 * Runs an operation on KV, and resolves to its result. If it fails for a transient reason, it is tried
 * again up to three times, with waits of about five to six seconds in total. An attempt has no time limit of its own.
 *
 * @throws StoreFailure if KV did not acknowledge the operation
 */
export async function withRetries<Result>(operation: () => Promise<Result>): Promise<Result> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await operation();
		} catch (error) {
			// Hono answers an exception only if it is an Error.
			if (!(error instanceof Error)) throw new TypeError("KV threw no Error.", { cause: error });
			if (!isKvError(error)) throw error;
			const delay = RETRY_DELAYS_MS[attempt];
			if (delay === undefined || !isTransient(error)) throw new StoreFailure(error.message);
			// Jitter keeps clients that write to the same key from colliding again.
			await scheduler.wait(delay * (1 + Math.random() / 4));
		}
	}
}

/** Whether an exception came from KV, such as `KV PUT failed: 429 Too Many Requests` or a lost connection. */
function isKvError(error: Error): boolean {
	return error.message.startsWith("KV ") || "retryable" in error;
}

/** Whether a retry may help: after a lost connection, a 429 (too many writes to a key) or a fault in KV. */
function isTransient(error: Error & { retryable?: unknown }): boolean {
	return error.retryable === true || /^KV \w+ failed: (429|5)/.test(error.message);
}
