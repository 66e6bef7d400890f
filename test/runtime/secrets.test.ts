// The secrets with the bearer tokens, and who is let in by them.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { accepted, create } from "./app.ts";

/** The status of creating a plant with this token in a service with these bindings. */
async function statusWith(token: string, bindings: Record<string, unknown>): Promise<number> {
	const headers = { ...accepted, Authorization: `Bearer ${token}` };
	const response = await create('{"id":1,"name":"Monstera"}', headers, { ...env, ...bindings });
	return response.status;
}

describe("ACCESS_TOKEN, and each secret whose name begins with ACCESS_TOKEN_, is one token", () => {
	const clients = {
		ACCESS_TOKEN: "operator",
		ACCESS_TOKEN_SHOP: " shop\n",
		ACCESS_TOKEN_LIST: "first,second",
		ACCESS_TOKEN_WORDS: "two words",
		ACCESS_TOKEN_TTL: 3600,
		ACCESS_TOKENS_SALT: "salt",
		MY_ACCESS_TOKEN: "mine",
	};
	it.each(["operator", "shop"])("%s is accepted", async (token) => {
		expect(await statusWith(token, clients)).toBe(200);
	});
	const others = "first second two words 3600 salt mine Shop shop= sho";
	it.each(others.split(" "))("%s is not accepted", async (token) => {
		expect(await statusWith(token, clients)).toBe(401);
	});
});

it("a token is compared by timingSafeEqual", async () => {
	const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
	await statusWith("other", { ACCESS_TOKEN: "token", ACCESS_TOKEN_SHOP: "longer" });
	const texts = compare.mock.calls.flat().map((bytes) => new TextDecoder().decode(bytes));
	expect(texts).toEqual(["token", "other"]);
});
