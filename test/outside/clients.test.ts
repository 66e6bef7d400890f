// Clients that generators make from the document, against the running service. That their types fit is
// seen by `npm run check`.
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestHarness } from "wrangler";
import { createPlant } from "../../dist/clients/orval.ts";
import { Api, type Error as ErrorBody } from "../../dist/clients/swagger-typescript-api.ts";

declare global {
	interface BigInt {
		toJSON(): unknown;
	}
	interface JSON {
		rawJSON(text: string): unknown;
	}
}

const token = "client-token";
const headers = { Authorization: `Bearer ${token}` };
const server = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: token } }],
});
let url: URL;

/** What KV holds under a key. */
async function stored(key: string) {
	const { PLANTS } = await server.getWorker<{ PLANTS: KVNamespace }>().getEnv();
	return PLANTS.get(key);
}

beforeAll(async () => {
	({ url } = await server.listen());
	// The line that a client needs for ids above 2^53.
	BigInt.prototype.toJSON = function () {
		return JSON.rawJSON(`${this}`);
	};
});
afterAll(() => server.close());

describe("orval, with fetch", () => {
	beforeAll(() => {
		// The client is on the same origin as the service, as in a page of its own.
		const { fetch } = globalThis;
		vi.stubGlobal("fetch", (path: string, init: RequestInit) => fetch(new URL(path, url), init));
	});
	afterAll(() => void vi.unstubAllGlobals());
	it("creates a plant with an id above 2^53", async () => {
		const { status, data } = await createPlant(
			{ id: 9007199254740993n, name: "Monstera", tag: "tropical" },
			{ headers },
		);
		expect({ status, data }).toEqual({ status: 200, data: { name: "Monstera", tag: "tropical" } });
		expect(await stored("9007199254740993")).toBe(
			'{"id":9007199254740993,"name":"Monstera","tag":"tropical"}',
		);
	});
	it("tells an Error by its status, and what it says by its type", async () => {
		const answers = [
			await createPlant({ id: 2n ** 63n, name: "Ficus" }, { headers }),
			await createPlant({ id: 1n, name: "Ficus" }),
		];
		const errors = answers.flatMap(({ status, data }) =>
			status === 200 ? [] : [{ status, ...data }],
		);
		const numbers: number[] = errors.flatMap(({ status, error }) => [status, error]);
		expect(numbers).toEqual([400, 422, 401, 401]);
		const messages: string[] = errors.map(({ message }) => message);
		expect(messages).toEqual([expect.stringMatching(/^id: /), expect.stringMatching(/token/)]);
	});
});

describe("swagger-typescript-api", () => {
	const api = () => new Api({ baseUrl: url.origin });
	it("creates a plant with an id above 2^53", async () => {
		const { data } = await api().plants.createPlant(
			{ id: -9007199254740993n, name: "Ficus" },
			{ headers },
		);
		const plant: { name: string; tag?: string } = data;
		expect(plant).toEqual({ name: "Ficus" });
		expect(await stored("-9007199254740993")).toBe('{"id":-9007199254740993,"name":"Ficus"}');
	});
	it.each([
		[400, 422, { id: 2n ** 63n, name: "Ficus" }, { headers }],
		[401, 401, { id: 1n, name: "Ficus" }, {}],
	])("throws an Error under %i", async (status, number, plant, options) => {
		const answer = await api()
			.plants.createPlant(plant, options)
			.catch((response) => response);
		const { error, message }: ErrorBody = answer.error;
		expect([answer.status, error]).toEqual([status, number]);
		expect(message).toMatch(/^(id: |Send a bearer token)/);
	});
});
