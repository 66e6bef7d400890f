// The keys and values in KV after a request.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { create, expectPlant } from "../support/plants.ts";

// This pins the format of key and value, which plants in a store rely on.
describe("a plant that is answered 200 is in KV, with its exact id in key and value", () => {
	it.each([
		["1", "1"],
		["0", "0"],
		["-0", "0"],
		["0.0e-5", "0"],
		["0e1000000000", "0"],
		["-5", "-5"],
		["1.0", "1"],
		["5e0", "5"],
		["12.5e1", "125"],
		["1200e-2", "12"],
		["100000000000000000000000e-20", "1000"],
		["9007199254740991", "9007199254740991"],
		["9007199254740992", "9007199254740992"],
		["9007199254740993", "9007199254740993"],
		["9.007199254740993e15", "9007199254740993"],
		["9007199254740993.0", "9007199254740993"],
		["-9007199254740993", "-9007199254740993"],
		["1e18", "1000000000000000000"],
		["9223372036854775806", "9223372036854775806"],
		["9223372036854775807", "9223372036854775807"],
		["9.223372036854775807E+18", "9223372036854775807"],
		["-9223372036854775808", "-9223372036854775808"],
		["-92233720368547758.08e2", "-9223372036854775808"],
	])("%s is stored as %s", async (sent, id) => {
		// A name of its own, since several rows share an id.
		const name = `Plant ${sent}`;
		await expectPlant(await create(`{"id":${sent},"name":"${name}"}`), { name });
		expect(await env.PLANTS.get(id)).toBe(`{"id":${id},"name":"${name}"}`);
	});
});

it("the value has id, name and, if sent, tag, in this order, whatever the order in the body", async () => {
	await create('{"tag":"","unknown":[1],"name":"","id":7}');
	expect(await env.PLANTS.get("7")).toBe('{"id":7,"name":"","tag":""}');
});

it("text is stored to the last code unit, a lone surrogate as its escape", async () => {
	await create(String.raw`{"id":8,"name":"\ud83c\udf35\uD83C","tag":"é\u0000"}`);
	expect(await env.PLANTS.get("8")).toBe(String.raw`{"id":8,"name":"🌵\ud83c","tag":"é\u0000"}`);
});

it("numbers in unknown members do not affect the id", async () => {
	await expectPlant(await create('{"id":5,"name":"Monstera","unknown":1.5}'), { name: "Monstera" });
	await expectPlant(await create('{"id":6.0,"name":"Monstera","unknown":15}'), {
		name: "Monstera",
	});
	expect(await env.PLANTS.get("5")).toBe('{"id":5,"name":"Monstera"}');
	expect(await env.PLANTS.get("6")).toBe('{"id":6,"name":"Monstera"}');
});

it("the same id again replaces the plant", async () => {
	await create('{"id":9,"name":"Monstera","tag":"tropical"}');
	await create('{"id":9.0,"name":"Ficus"}');
	expect(await env.PLANTS.get("9")).toBe('{"id":9,"name":"Ficus"}');
});

it("many creates at once: each plant with its own id is stored, and one of those that share an id", async () => {
	const numbers = Array.from({ length: 200 }, (_, number) => number);
	const answers = await Promise.all(
		numbers.flatMap((number) => [
			create(`{"id":${1000 + number},"name":"${number}"}`),
			create(`{"id":999,"name":"${number}"}`),
		]),
	);
	for (const [index, answer] of answers.entries()) {
		await expectPlant(answer, { name: `${Math.floor(index / 2)}` });
	}
	for (const number of numbers) {
		const id = BigInt(1000 + number);
		expect(await env.PLANTS.get(`${id}`)).toBe(`{"id":${id},"name":"${number}"}`);
	}
	expect(await env.PLANTS.get("999")).toMatch(/^\{"id":999,"name":"\d+"\}$/);
});
