// The keys and values in KV after a request. This pins the format of stored plants.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { plant } from "../support/members.ts";
import { expectPlant } from "../support/responses.ts";
import { create } from "./app.ts";

describe("an id in any notation is stored exactly, in key and value", () => {
	it.each([
		["0", "0"],
		["-0", "0"],
		["0e1000000000", "0"],
		["-5", "-5"],
		["-12.50e1", "-125"],
		["100000000000000000000000e-20", "1000"],
		["9007199254740993", "9007199254740993"],
		["922337203685477E4", "9223372036854770000"],
		["1e+018", "1000000000000000000"],
		["9223372036854775807", "9223372036854775807"],
		["0.00009223372036854775807e+23", "9223372036854775807"],
		["-9223372036854775808", "-9223372036854775808"],
		["-92233720368547758.08e2", "-9223372036854775808"],
	])("%s is %s", async (sent, id) => {
		// A name of its own, because several rows share an id.
		const name = `Plant ${sent}`;
		await expectPlant(await create(`{"id":${sent},"name":"${name}"}`), { name });
		expect(await env.PLANTS.get(id)).toBe(`{"id":${id},"name":"${name}"}`);
	});
});

it("the value has the members in this order, whatever the order in the body", async () => {
	const reversed = Object.fromEntries(Object.entries(plant).reverse());
	await create(JSON.stringify({ ...reversed, unknown: [1], id: 10 }));
	expect(await env.PLANTS.get("10")).toBe(`{"id":10,${JSON.stringify(plant).slice(1)}`);
});

it("the same id again replaces the plant", async () => {
	await create('{"id":12,"name":"Monstera","tag":"tropical"}');
	await create('{"id":12.0,"name":"Ficus"}');
	expect(await env.PLANTS.get("12")).toBe('{"id":12,"name":"Ficus"}');
});
