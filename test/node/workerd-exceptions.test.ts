// The exceptions that workerd itself throws for a failing KV, one of each kind.
// The waits between attempts, and other exceptions, are in test/runtime/retries.test.ts.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const token = "test-token";

/** KV's response to a write: a status, or a lost connection. */
type KvResponse = number | "lost";
/** KV's responses to the writes of each id, one after the other. The last one repeats. */
const kvResponses = new Map<string, KvResponse[]>();
/** The number of writes of each id. */
const attempts = new Map<string, number>();

const kv = createServer((request, response) => {
	const id = /\d+/.exec(request.url ?? "")?.[0] ?? "";
	const attempt = (attempts.get(id) ?? 0) + 1;
	attempts.set(id, attempt);
	const responses = kvResponses.get(id) ?? [];
	const next = responses[attempt - 1] ?? responses.at(-1);
	if (typeof next === "number") response.writeHead(next).end();
	else request.socket.destroy();
});

const bundled = bundle("src/index.ts");
type Service = Awaited<ReturnType<typeof startWorkerd>>;
const services: Service[] = [];

/** Starts the service with a KV at this address. */
async function startWithKv(address: string): Promise<Service> {
	const external = `external = (address = "${address}", http = ())`;
	const service = await startWorkerd(bundled, token, external);
	services.push(service);
	return service;
}

let service: Service;
beforeAll(async () => {
	await once(kv.listen(0, "127.0.0.1"), "listening");
	// Unlike that of a Unix socket, the address of a TCP server is an object.
	const { port } = kv.address() as AddressInfo;
	service = await startWithKv(`127.0.0.1:${port}`);
});
afterAll(() => {
	for (const { child } of services) child.kill();
	kv.close();
	kv.closeAllConnections();
});

/** Creates a plant while KV gives these responses, and returns the same as `create`. */
async function createWith(id: string, ...responses: KvResponse[]) {
	kvResponses.set(id, responses);
	return create(service, id);
}

/** Creates a plant in a service. Returns the response, the attempts and the log. */
async function create(service: Service, id: string) {
	const body = `{"id":${id},"name":"Monstera"}`;
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const response = await fetch(`${service.url}/plants`, { method: "POST", headers, body });
	const json = await response.json();
	const lines = readFileSync(service.log, "utf8").split("\n");
	const log = lines.filter((line) => line.includes(`"id":"${id}"`));
	return { json, attempts: attempts.get(id) ?? 0, log };
}

// The waits are real, so these tests run concurrently.
describe.concurrent("a KV that fails, as workerd reports it", () => {
	it("a lost connection and 429, then acknowledged", async ({ expect }) => {
		const result = await createWith("1", "lost", 429, 200);
		expect(result).toEqual({ json: { name: "Monstera" }, attempts: 3, log: [] });
	});
	it.for<[string, KvResponse, string, boolean]>([
		["2", "lost", "Network connection lost.", true],
		["3", 429, "KV PUT failed: 429", true],
		["4", 403, "KV PUT failed: 403", false],
	])("plant %s: %s every time: 503, %j in the log, tried again: %j", async (row, { expect }) => {
		const [id, response, cause, isTriedAgain] = row;
		const { json, attempts, log } = await createWith(id, response);
		expect(json).toMatchObject({ error: 503 });
		expect(log).toEqual([expect.stringContaining(cause)]);
		expect(attempts > 1).toBe(isTriedAgain);
	});
	it("a KV that cannot be reached: 503, and the log has workerd's reference", async ({
		expect,
	}) => {
		// No host has a name under .invalid (RFC 6761).
		const { json, log } = await create(await startWithKv("kv.invalid:80"), "5");
		expect(json).toMatchObject({ error: 503 });
		expect(log).toEqual([expect.stringContaining("internal error; reference = ")]);
	});
	it("a KV that cannot be reached at first, then acknowledged", async ({ expect }) => {
		const socket = join(tmpdir(), "late-kv");
		const service = await startWithKv(`unix:${socket}`);
		const late = createServer((_, response) => response.end());
		setTimeout(() => late.listen(socket).unref(), 500);
		expect(await create(service, "6")).toMatchObject({ json: { name: "Monstera" }, log: [] });
	});
});
