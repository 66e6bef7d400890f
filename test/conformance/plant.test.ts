// The members of a NewPlant, and the Plant or the Error in the answer.
import { describe, it } from "vitest";
import { create, expectError, expectPlant, newId } from "../support/plants.ts";

describe("a NewPlant is answered with the Plant", () => {
	it("with name and tag, and without the id", async () => {
		const response = await create(`{"id":${newId()},"name":"Monstera","tag":"tropical"}`);
		await expectPlant(response, { name: "Monstera", tag: "tropical" });
	});
	it("without tag, when none was given", async () => {
		await expectPlant(await create(`{"id":${newId()},"name":"Monstera"}`), {
			name: "Monstera",
		});
	});
	it("again, when it is sent again", async () => {
		const body = `{"id":${newId()},"name":"Monstera"}`;
		await expectPlant(await create(body), { name: "Monstera" });
		await expectPlant(await create(body), { name: "Monstera" });
	});
	it("without unknown members", async () => {
		const body = `{"id":${newId()},"name":"Monstera","unknown":3,"__proto__":{"tag":"x"},"toString":[{"id":1.5}]}`;
		await expectPlant(await create(body), { name: "Monstera" });
	});
	it("with the last of several members of the same name (RFC 8259, section 4)", async () => {
		const body = `{"id":"no","name":1,"name":"Monstera","id":${newId()}}`;
		await expectPlant(await create(body), { name: "Monstera" });
	});
	it("with any white space between its tokens", async () => {
		const body = ` \t\r\n{ "id" :\n${newId()} ,\t"name"\r: "Monstera" } \n`;
		await expectPlant(await create(body), { name: "Monstera" });
	});
	it.each([
		["arrays", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
		["objects", `${'{"id":'.repeat(140_000)}1${"}".repeat(140_000)}`],
	])("with deep %s in an unknown member", async (_, more) => {
		for (const id of [`${newId()}`, `${newId()}.0`, `${newId()}0E-1`]) {
			const body = `{"more":${more},"id":${id},"name":"Monstera"}`;
			await expectPlant(await create(body), { name: "Monstera" });
		}
	});
	it("when member names are escaped", async () => {
		const body = String.raw`{"\u0069d":${newId()},"n\u0061me":"Monstera"}`;
		await expectPlant(await create(body), { name: "Monstera" });
	});
});

describe("name and tag are any JSON string, to the last code unit", () => {
	const texts = {
		"the empty string": "",
		"white space": " \t\n",
		"quotes and backslashes": `"\\/`,
		"control characters": "\0\b\x1F\x7F",
		"line separators": "\u2028\u2029",
		"beyond the Basic Multilingual Plane": "🌵𝌆",
		"not normalized": "e\u0301 \u00E9",
		"a replacement character of its own": "\uFFFD",
		noncharacters: "\uFFFE\uFFFF\uFDD0",
		"a lone high surrogate": "a\uD83Cb",
		"a lone low surrogate": "\uDF35",
		"surrogates in the wrong order": "\uDF35\uD83C",
		"text like JSON": `{"id":9007199254740993}`,
	};
	it.each(Object.entries(texts))("%s", async (_, text) => {
		const body = JSON.stringify({ id: 0, name: text, tag: text }).replace(":0", `:${newId()}`);
		await expectPlant(await create(body), { name: text, tag: text });
	});
});

describe("id is any JSON number that is an integer in int64", () => {
	it.each([
		["the largest", "9223372036854775807"],
		["the smallest", "-9223372036854775808"],
		["with a zero fraction", "9223372036854775807.000"],
		["with an exponent", "9.223372036854775807e18"],
		["with a capital E and a plus sign", "9.223372036854775807E+18"],
		["with a negative exponent", "-92233720368547758080000e-4"],
		["with zeros to drop before the exponent", "0.00009223372036854775807e+23"],
	])("%s: %s", async (_, id) => {
		await expectPlant(await create(`{"id":${id},"name":"Monstera"}`), {
			name: "Monstera",
		});
	});
});

describe("JSON that is not a NewPlant is 422, and the message names the field", () => {
	it.each([
		["one above int64", "9223372036854775808"],
		["one below int64", "-9223372036854775809"],
		["one above int64, with an exponent", "9.223372036854775808e18"],
		["2^64", "18446744073709551616"],
		["a fraction", "1.5"],
		["a fraction that a double rounds away", "9223372036854775807.0000000001"],
		["a fraction that a double rounds to 1", "0.99999999999999999999999"],
		["a fraction that a double rounds to 0", "1e-400"],
		["a fraction that a double rounds to 10^15", "999999999999999.99999999"],
		["a fraction close to 0, with two digits", "10e-400"],
		["a fraction close to 0, with a capital E", "1E-400"],
		["a fraction close to 0, not of 1", "9e-400"],
		["a fraction written with many zeros", `1.${"0".repeat(300)}e-300`],
		["a negative exponent that leaves a fraction", "92233720368547758075e-2"],
		["too large for a double", "1e1000000000"],
		["too large for a double, and negative", "-1e1000000000"],
		["a string", '"9223372036854000000"'],
		["null", "null"],
		["a boolean", "true"],
		["an array", "[9223372036854000000]"],
		["an object", "{}"],
	])("id is %s", async (_, id) => {
		await expectError(await create(`{"id":${id},"name":"Monstera"}`), 422, /^id: [^;]+$/);
	});
	it.each(["null", "1", "true", "[]", "{}"])("name is %s", async (name) => {
		await expectError(await create(`{"id":${newId()},"name":${name}}`), 422, /^name: [^;]+$/);
	});
	it.each(["null", "1", "true", "[]", "{}"])("tag is %s", async (tag) => {
		const body = `{"id":${newId()},"name":"Monstera","tag":${tag}}`;
		await expectError(await create(body), 422, /^tag: [^;]+$/);
	});
	it("id is a fraction close to 0, beside a member with an escape in its name", async () => {
		const body = String.raw`{"id":1e-400,"nam\u0065":"Yucca"}`;
		await expectError(await create(body), 422, /^id: [^;]+$/);
	});
	it("id is missing", async () => {
		await expectError(await create(`{"name":"Monstera"}`), 422, /^id: [^;]+$/);
	});
	it("name is missing", async () => {
		await expectError(await create(`{"id":${newId()}}`), 422, /^name: [^;]+$/);
	});
	it("members differ in case", async () => {
		await expectError(
			await create(`{"ID":${newId()},"Name":"Monstera"}`),
			422,
			/^id: .+; name: .+$/,
		);
	});
	it("several fields are wrong: all are named at once", async () => {
		await expectError(await create(`{"id":1.5,"tag":null}`), 422, /^id: .+; name: .+; tag: .+$/);
	});
	it.each(["null", "true", "9223372036854000000", '"Monstera"', "[]", "[{}]"])(
		"the body is %s",
		async (body) => {
			await expectError(await create(body), 422, /^body: /);
		},
	);
	it("the body is 1 MiB of nested brackets", async () => {
		const body = "[".repeat(2 ** 19) + "]".repeat(2 ** 19);
		await expectError(await create(body), 422, /^body: /);
	});
});
