// The exceptions that workerd itself throws for a KV that fails, and for a body that is cut off.
// The waits between attempts, and other exceptions, are in test/runtime/retries.test.ts.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type KvResponse, serveKv } from "../support/kv-server.ts";
import { bundle, startWorkerd } from "../support/workerd.ts";

const token = "test-token";

/** KV's responses to the writes of each id, one after the other. The last one repeats. */
const kvResponses = new Map<string, KvResponse[]>();
/** The number of writes of each id. */
const attempts = new Map<string, number>();

type Service = Awaited<ReturnType<typeof startWorkerd>>;
let service: Service;
/** The service with a KV out of reach. */
let unreachable: Service;

beforeAll(async () => {
	const kv = await serveKv((id) => {
		const attempt = (attempts.get(id) ?? 0) + 1;
		attempts.set(id, attempt);
		const responses = kvResponses.get(id) ?? [];
		return responses[attempt - 1] ?? responses.at(-1) ?? "lost";
	});
	const bundled = bundle("src/index.ts");
	service = await startWorkerd(bundled, token, `external = (address = "${kv}", http = ())`);
	// KV doesn't speak TLS, so each handshake fails.
	unreachable = await startWorkerd(bundled, token, `external = (address = "${kv}", https = ())`);
});
afterAll(() => {
	service.child.kill();
	unreachable.child.kill();
});

/** Creates a plant while KV gives these responses. Returns the response, the attempts and the log. */
async function createIn({ url, log }: Service, id: string, ...responses: KvResponse[]) {
	kvResponses.set(id, responses);
	const body = `{"id":${id},"name":"Monstera"}`;
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const response = await fetch(`${url}/plants`, { method: "POST", headers, body });
	const json = await response.json();
	const lines = readFileSync(log, "utf8").split("\n");
	const own = lines.filter((line) => line.includes(`"id":"${id}"`));
	return { json, attempts: attempts.get(id) ?? 0, log: own };
}

// The waits are real, so these tests run concurrently.
describe.concurrent("what fails, as workerd reports it", () => {
	it("a lost connection and 429, then acknowledged", async ({ expect }) => {
		const result = await createIn(service, "1", "lost", 429, 200);
		expect(result).toEqual({ json: { name: "Monstera" }, attempts: 3, log: [] });
	});
	it.for<[string, KvResponse, string, boolean]>([
		["2", "lost", "Network connection lost.", true],
		["3", 429, "KV PUT failed: 429", true],
		["4", 403, "KV PUT failed: 403", false],
	])("plant %s: %s every time: 503, %j in the log, tried again: %j", async (row, { expect }) => {
		const [id, response, cause, isTriedAgain] = row;
		const { json, attempts, log } = await createIn(service, id, response);
		expect(json).toMatchObject({ error: 503 });
		expect(log).toEqual([expect.stringContaining(cause)]);
		expect(attempts > 1).toBe(isTriedAgain);
	});
	it("a KV out of reach: 503, and the log has workerd's reference", async ({ expect }) => {
		const { json, log } = await createIn(unreachable, "5");
		expect(json).toMatchObject({ error: 503 });
		expect(log).toEqual([expect.stringContaining("internal error; reference = ")]);
	});
	it.for(["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{"])(
		"a body that is cut off: 400, after %j",
		async (rest, { expect }) => {
			const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
			const headers = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
			socket.end(`POST /plants HTTP/1.1\r\n${headers}\r\n${rest}`);
			expect(await text(socket)).toMatch('{"error":400,"message":"Send the whole body: ');
		},
	);
});
