// The plants in Workers KV: keys and values, the retries, and the exception if KV fails.
import { HTTPException } from "hono/http-exception";
import type { Plant } from "./plant.ts";

/** No retry begins later than this. (openapi.ts and docs/clients.md tell clients to wait ten seconds.) */
const RETRY_PERIOD_MS = 8000;
/** The shortest wait before the first retry. KV accepts one write per second to a key. */
const FIRST_DELAY_MS = 1000;

/** Matches what KV says if a retry can't help: a 4xx other than 429, or the daily limit. */
const NOT_RETRIABLE = /^KV PUT failed: 4(?!29)|limit exceeded for the day/;

/** KV did not acknowledge a write. The details may be logged: KV's message never quotes the value. */
export class StoreException extends HTTPException {
	readonly details: { id: string; cause: string };

	constructor(id: string, cause: string) {
		super(503, { message: "The store did not acknowledge the request. Send it again later." });
		this.details = { id, cause };
	}
}

/**
 * Stores a plant, and resolves once KV has acknowledged it. The key is the id in decimal, such as
 * `-5`. The value is a JSON object: the id, as an exact number, then the members of the Plant.
 *
 * If KV fails, the write is tried again, after waits that grow. At most four attempts begin, all of
 * them within eight seconds. Nothing limits how long each takes.
 *
 * @throws StoreException if KV did not acknowledge the write
 */
export async function storePlant(plants: KVNamespace, id: bigint, plant: Plant): Promise<void> {
	const key = `${id}`;
	const value = `{"id":${key},${JSON.stringify(plant).slice(1)}`;
	const deadline = Date.now() + RETRY_PERIOD_MS;
	for (let delay = FIRST_DELAY_MS; ; delay *= 1.5) {
		try {
			return await plants.put(key, value);
		} catch (exception) {
			// A bug: the binding is missing, or put() has got an argument that it doesn't take.
			if (exception instanceof TypeError) throw exception;
			const cause = exception instanceof Error ? exception.message : String(exception);
			// Jitter keeps clients that write to the same key from colliding again.
			const wait = delay * (1 + Math.random() / 4);
			const isTooLate = Date.now() + wait > deadline;
			if (isTooLate || NOT_RETRIABLE.test(cause)) throw new StoreException(key, cause);
			await scheduler.wait(wait);
		}
	}
}
