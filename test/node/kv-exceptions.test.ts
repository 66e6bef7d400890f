// The service recognizes the exceptions that workerd itself throws for a failing KV, one of each kind.
// The number of attempts and the log have their own tests, in test/runtime/kv-failure.test.ts and log.test.ts.
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const token = "test-token";
const plant = { name: "Monstera deliciosa", tag: "tropical" };
const kvValue = (id: bigint) => `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`;
const folder = mkdtempSync(join(tmpdir(), "plant-store-faults-"));

/** KV's answer to a write: a status, or a lost connection. */
type Step = number | "lost" | "lost after storing";
/** KV's answers to the writes to a key, one after the other. The last one repeats. */
const script = new Map<string, Step[]>();
/** The values that KV was sent for a key, one after the other. */
const writes = new Map<string, string[]>();
/** The value of each key in KV. */
const stored = new Map<string, string>();

const kv = createServer((request, response) => {
	const key = decodeURIComponent(new URL(request.url ?? "", "http://kv").pathname.slice(1));
	void text(request).then((value) => {
		const steps = script.get(key) ?? [];
		const step = (steps.length > 1 ? steps.shift() : steps[0]) ?? 200;
		writes.set(key, [...(writes.get(key) ?? []), value]);
		if (step === 200 || step === "lost after storing") stored.set(key, value);
		if (typeof step === "number") response.writeHead(step).end();
		else request.socket.destroy();
	});
});

let service: Awaited<ReturnType<typeof startWorkerd>>;
beforeAll(async () => {
	kv.listen(0, "127.0.0.1");
	await once(kv, "listening");
	// The address of a TCP server is not a path.
	const { port } = kv.address() as AddressInfo;
	service = await startWorkerd({
		file: await bundle("src/index.ts", folder),
		token,
		kv: `external = (address = "127.0.0.1:${port}", http = ())`,
	});
});
afterAll(() => {
	service?.child.kill();
	kv.close();
	kv.closeAllConnections();
});

/** Creates a plant, and returns the answer. */
async function create(id: bigint) {
	const response = await fetch(`${service.url}/plants`, {
		method: "POST",
		headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
		body: kvValue(id),
	});
	const body = await response.json();
	return { status: response.status, retryAfter: response.headers.get("Retry-After"), body };
}

/** The lines in the log about a plant. */
const lines = (id: bigint) =>
	readFileSync(service.log, "utf8")
		.split("\n")
		.filter((line) => line.includes(`"id":"${id}"`));
let nextId = 9007199254740993n;

/** Creates a plant while KV gives these answers to its writes; returns the answer, the writes, the value in KV and the log. */
async function createWith(...steps: Step[]) {
	const id = nextId++;
	const key = `${id}`;
	script.set(key, steps);
	const answer = await create(id);
	const value = kvValue(id);
	return { ...answer, value, tries: writes.get(key), stored: stored.get(key), log: lines(id) };
}

// The waits are real, so these tests run concurrently.
describe.concurrent("a write that fails for a transient reason is tried again", () => {
	it.for<[Step[]]>([[[429]], [["lost"]], [["lost", 429, 503]]])(
		"%j, then acknowledged: 200",
		async ([steps], { expect }) => {
			const seen = await createWith(...steps, 200);
			expect(seen).toMatchObject({ status: 200, body: plant, stored: seen.value, log: [] });
			expect(seen.tries).toEqual(Array(steps.length + 1).fill(seen.value));
		},
	);
	it.for<[Step, string]>([
		[429, "KV PUT failed: 429"],
		["lost", "Network connection lost."],
	])("%s for good: 503 after four attempts, and logged once", async ([step, cause], { expect }) => {
		const seen = await createWith(step);
		expect(seen).toMatchObject({ status: 400, retryAfter: "10", body: { error: 503 } });
		expect(seen.tries).toHaveLength(4);
		expect(seen.stored).toBeUndefined();
		expect(seen.log).toEqual([expect.stringContaining(cause)]);
	});
	it("a connection lost after the plant was stored leaves it stored, once", async ({ expect }) => {
		const seen = await createWith("lost after storing", 200);
		expect(seen).toMatchObject({ status: 200, stored: seen.value, log: [] });
		expect(seen.tries).toEqual([seen.value, seen.value]);
	});
});

it("a write that KV refuses is not tried again: 503 at once, and logged once", async () => {
	const seen = await createWith(403);
	expect(seen).toMatchObject({ status: 400, retryAfter: "10", body: { error: 503 } });
	expect(seen.tries).toHaveLength(1);
	expect(seen.stored).toBeUndefined();
	expect(seen.log).toEqual([expect.stringContaining("KV PUT failed: 403")]);
	const logged = readFileSync(service.log, "utf8");
	for (const secret of [token, plant.name, plant.tag]) expect(logged).not.toContain(secret);
});
