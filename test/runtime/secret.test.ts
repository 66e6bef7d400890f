// The values of ACCESS_TOKEN, and the tokens that each accepts.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { accepted, create } from "./app.ts";

const encoder = new TextEncoder();

/** The status of creating a plant with this token while ACCESS_TOKEN holds this secret. */
async function statusWith(secret: string | undefined, token: string): Promise<number> {
	const headers = { ...accepted, Authorization: `Bearer ${token}` };
	const bindings = { ...env, ACCESS_TOKEN: secret };
	const response = await create('{"id":1,"name":"Monstera"}', headers, bindings);
	return response.status;
}

describe("several tokens, separated by commas", () => {
	it.each(["old", "longer", "third", "fourth"])("accepts %s", async (token) => {
		expect(await statusWith("old, longer ,third,,fourth\n", token)).toBe(200);
	});
	it.each(["oldlonger", "Old", "longer=", "twowords", "words"])("refuses %s", async (token) => {
		expect(await statusWith("old, longer ,two words", token)).toBe(401);
	});
});

it.each([undefined, "", " , "])("no token is accepted if ACCESS_TOKEN is %j", async (secret) => {
	expect(await statusWith(secret, "undefined")).toBe(401);
});

it("a changed secret counts at once", async () => {
	expect(await statusWith("old", "old")).toBe(200);
	expect(await statusWith("new", "old")).toBe(401);
	expect(await statusWith("new", "new")).toBe(200);
});

it("a token is compared by timingSafeEqual, with itself if the lengths differ", async () => {
	const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
	await statusWith("longer,token", "other");
	const [token, other] = ["token", "other"].map((text) => encoder.encode(text));
	expect(compare.mock.calls).toEqual([
		[other, other],
		[token, other],
	]);
});
