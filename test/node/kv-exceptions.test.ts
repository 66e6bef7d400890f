// The exceptions that workerd itself throws for a failing KV, one of each kind. The waits between attempts, and other
// statuses of KV, are in test/runtime/kv-failure.test.ts.
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, it } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const token = "test-token";
const plant = { name: "Monstera deliciosa", tag: "tropical" };

/** KV's answer to a write: a status, or a lost connection. */
type Step = number | "lost" | "lost after storing";
/** KV's answers to the writes to each key, one after the other. The last one repeats. */
const steps = new Map<string, Step[]>();
/** The values that KV was sent for each key, and the one that it stored. */
const writes = new Map<string, string[]>();
const stored = new Map<string, string>();

const kv = createServer(async (request, response) => {
	const key = decodeURIComponent(new URL(request.url ?? "", "http://kv").pathname.slice(1));
	const value = await text(request);
	const earlier = writes.get(key) ?? [];
	writes.set(key, [...earlier, value]);
	const step = steps.get(key)?.[earlier.length] ?? steps.get(key)?.at(-1);
	if (step === 200 || step === "lost after storing") stored.set(key, value);
	if (typeof step === "number") response.writeHead(step).end();
	else request.socket.destroy();
});

let service: Awaited<ReturnType<typeof startWorkerd>>;
beforeAll(async () => {
	await once(kv.listen(0, "127.0.0.1"), "listening");
	// The address of a TCP server is not a path.
	const { port } = kv.address() as AddressInfo;
	service = await startWorkerd({
		file: await bundle("src/index.ts", mkdtempSync(join(tmpdir(), "kv-exceptions-"))),
		token,
		kv: `external = (address = "127.0.0.1:${port}", http = ())`,
	});
});
afterAll(() => {
	service?.child.kill();
	kv.close();
	kv.closeAllConnections();
});

/** Creates a plant while KV gives these answers to its writes; returns the answer, the value to expect, and what KV and the log saw. */
async function createWith(id: string, ...answers: Step[]) {
	steps.set(id, answers);
	const value = `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`;
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const response = await fetch(`${service.url}/plants`, { method: "POST", headers, body: value });
	const lines = readFileSync(service.log, "utf8").split("\n");
	return {
		answer: { status: response.status, body: await response.json() },
		value,
		writes: writes.get(id),
		stored: stored.get(id),
		log: lines.filter((line) => line.includes(`"id":"${id}"`)),
	};
}

const created = { status: 200, body: plant };
const failed = { status: 400, body: { error: 503 } };

// The waits are real, so these tests run concurrently.
describe.concurrent("a KV that fails, as workerd reports it", () => {
	it.for<[string, Step[]]>([
		["11", [429]],
		["12", ["lost"]],
		["13", ["lost", 429, 503]],
		["14", ["lost after storing"]],
	])("plant %s: %j, then acknowledged: 200", async ([id, answers], { expect }) => {
		const { answer, value, ...seen } = await createWith(id, ...answers, 200);
		expect(answer).toEqual(created);
		const attempts = answers.length + 1;
		expect(seen).toEqual({ writes: Array(attempts).fill(value), stored: value, log: [] });
	});
	it.for<[string, Step, string]>([
		["21", 429, "KV PUT failed: 429"],
		["22", "lost", "Network connection lost."],
	])("plant %s: %s for good: 503, and logged", async ([id, step, cause], { expect }) => {
		const { answer, value, ...seen } = await createWith(id, step);
		expect(answer).toMatchObject(failed);
		expect(seen.log).toEqual([expect.stringContaining(cause)]);
		expect(seen).toMatchObject({ writes: Array(4).fill(value), stored: undefined });
	});
	it("plant 31: 403 is not tried again: 503, and logged", async ({ expect }) => {
		const { answer, value, ...seen } = await createWith("31", 403);
		expect(answer).toMatchObject(failed);
		expect(seen.log).toEqual([expect.stringContaining("KV PUT failed: 403")]);
		expect(seen).toMatchObject({ writes: [value], stored: undefined });
	});
});
