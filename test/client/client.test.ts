// Typed clients against the running service: one made from the document, and Hono's own.

import { env } from "cloudflare:workers";
import { hc } from "hono/client";
import createClient from "openapi-fetch";
import { beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../src/index.ts";
import { request, token } from "../service.ts";
import type { paths } from "./schema.d.ts";

declare global {
	interface BigInt {
		toJSON(): unknown;
	}
	interface JSON {
		rawJSON(text: string): unknown;
	}
}

const baseUrl = "https://plant-store.test";
const fetch = (input: RequestInfo | URL, init?: RequestInit) => {
	const sent = new Request(input, init);
	return request(new URL(sent.url).pathname, sent);
};

beforeAll(() => {
	// The line that a client needs for ids above 2^53.
	BigInt.prototype.toJSON = function () {
		return JSON.rawJSON(`${this}`);
	};
});

describe("openapi-fetch, with types from the document", () => {
	const client = createClient<paths>({ baseUrl, fetch });
	it("creates a plant with an id above 2^53", async () => {
		const { data, error } = await client.POST("/plants", {
			headers: { Authorization: `Bearer ${token}` },
			body: { id: 9007199254740993n, name: "Monstera" },
		});
		expect({ data, error }).toEqual({ data: { name: "Monstera" }, error: undefined });
		expect(await env.PLANTS.get("9007199254740993")).toContain('"id":9007199254740993,');
	});
	it("is told by an Error what is wrong", async () => {
		const { data, error, response } = await client.POST("/plants", {
			body: { id: 1n, name: "Monstera" },
		});
		expect(data).toBeUndefined();
		expect(error?.error satisfies number | undefined).toBe(401);
		expect(response.status).toBe(401);
	});
});

describe("hc, with the app's own type", () => {
	const { plants } = hc<App>(baseUrl, { fetch });
	const headers = { Authorization: `Bearer ${token}` };
	it("creates a plant with an id above 2^53", async () => {
		const response = await plants.$post(
			{ json: { id: 9007199254740995n, name: "Ficus" } },
			{ headers },
		);
		if (response.status !== 200) throw new Error(`${response.status}`);
		const plant: { name: string; tag?: string | undefined } = await response.json();
		expect(plant).toEqual({ name: "Ficus" });
		expect(await env.PLANTS.get("9007199254740995")).toContain('"id":9007199254740995,');
	});
	it("is told by an Error what is wrong", async () => {
		const response = await plants.$post({ json: { id: 2n ** 63n, name: "Ficus" } }, { headers });
		if (response.status !== 400) throw new Error(`${response.status}`);
		const { error, message }: { error: number; message: string } = await response.json();
		expect({ error, message }).toEqual({ error: 422, message: expect.stringMatching(/^id: /) });
	});
});
