// The exceptions that workerd itself throws for a failing KV, one of each kind.
// The waits between attempts, and other statuses of KV, are in test/runtime/retries.test.ts.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, it } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const token = "test-token";

/** KV's response to a write: a status, or a lost connection. */
type Step = number | "lost";
/** What KV is to do with the writes to each key, one after the other. The last step repeats. */
const steps = new Map<string, Step[]>();
/** The values that KV was sent for each key. */
const writes = new Map<string, string[]>();

const kv = createServer(async (request, response) => {
	const { pathname } = new URL(request.url ?? "", "http://kv");
	const key = pathname.slice(1);
	const values = [...(writes.get(key) ?? []), await text(request)];
	writes.set(key, values);
	const step = steps.get(key)?.[values.length - 1] ?? steps.get(key)?.at(-1);
	if (typeof step === "number") response.writeHead(step).end();
	else request.socket.destroy();
});

let service: Awaited<ReturnType<typeof startWorkerd>>;
beforeAll(async () => {
	await once(kv.listen(0, "127.0.0.1"), "listening");
	// The address of a TCP server is not a path.
	const { port } = kv.address() as AddressInfo;
	const external = `external = (address = "127.0.0.1:${port}", http = ())`;
	service = await startWorkerd(await bundle("src/index.ts"), token, external);
});
afterAll(() => {
	service?.child.kill();
	kv.close();
	kv.closeAllConnections();
});

/** Creates a plant while KV takes these steps. Returns the response, KV's writes and the log. */
async function createWith(id: string, ...kvSteps: Step[]) {
	steps.set(id, kvSteps);
	const body = `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`;
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const received = await fetch(`${service.url}/plants`, { method: "POST", headers, body });
	const response = { status: received.status, body: await received.json() };
	const lines = readFileSync(service.log, "utf8").split("\n");
	const log = lines.filter((line) => line.includes(`"id":"${id}"`));
	return { response, writes: writes.get(id), log };
}

// The waits are real, so these tests run concurrently.
describe.concurrent("a KV that fails, as workerd reports it", () => {
	it("a lost connection, 429 and 503, then acknowledged: 200", async ({ expect }) => {
		const { response, writes, log } = await createWith("1", "lost", 429, 503, 200);
		expect(response).toEqual({
			status: 200,
			body: { name: "Monstera deliciosa", tag: "tropical" },
		});
		const value = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';
		expect(writes).toEqual(Array(4).fill(value));
		expect(log).toEqual([]);
	});
	it.for<[string, Step, number, string]>([
		["2", "lost", 4, "Network connection lost."],
		["3", 429, 4, "KV PUT failed: 429"],
		["4", 403, 1, "KV PUT failed: 403"],
	])("plant %s: %s every time: 503 after %i attempts", async (row, { expect }) => {
		const [id, step, attempts, cause] = row;
		const { response, writes, log } = await createWith(id, step);
		expect(response).toMatchObject({ status: 400, body: { error: 503 } });
		expect(writes).toHaveLength(attempts);
		expect(log).toEqual([expect.stringContaining(cause)]);
	});
});
