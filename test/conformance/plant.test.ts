// The members of a NewPlant, and the Plant or the Error in the response.
import { describe, it } from "vitest";
import { plant, wrong } from "../support/members.ts";
import { expectError, expectPlant } from "../support/responses.ts";
import { newId, newPlant, post } from "./client.ts";

const idMessage = "id: an integer from -2^63 to 2^63 - 1 is required, as a JSON number";

describe("the response to a NewPlant is the Plant", () => {
	it("with every member but the id", async () => {
		const response = await post(`{"id":${newId()},${JSON.stringify(plant).slice(1)}`);
		await expectPlant(response, plant);
	});
	it("without tag, when none was given", async () => {
		await expectPlant(await post(newPlant()), { name: "Monstera" });
	});
	it("without unknown members", async () => {
		const body = `{"id":${newId()},"name":"Monstera","unknown":3,"__proto__":{"tag":"x"},"toString":[{"id":1.5}]}`;
		await expectPlant(await post(body), { name: "Monstera" });
	});
	it("with the last of several members of the same name (RFC 8259, section 4)", async () => {
		const body = `{"id":"no","name":1,"name":"Monstera","id":${newId()}}`;
		await expectPlant(await post(body), { name: "Monstera" });
	});
	it.each([
		["[", "]"],
		['{"id":', "}"],
	])("with a thousand levels of %s in an unknown member", async (start, end) => {
		const more = `${start.repeat(1000)}1${end.repeat(1000)}`;
		const response = await post(`{"more":${more},"id":${newId()},"name":"Monstera"}`);
		await expectPlant(response, { name: "Monstera" });
	});
});

describe("name and tag are any JSON string, to the last code unit", () => {
	it.each([
		["the empty string", ""],
		["white space at both ends", " \t\n\u00A0a\u2003 "],
		["quotes, backslashes and control characters", `"\\/ \0\n\x1F\x7F`],
		["beyond the Basic Multilingual Plane", "🌵𝌆"],
		["lone surrogates", "a\uD83Cb\uDF35"],
		["text like JSON", `{"id":9007199254740993}`],
	])("%s", async (_, text) => {
		const string = JSON.stringify(text);
		const response = await post(`{"id":${newId()},"name":${string},"tag":${string}}`);
		await expectPlant(response, { name: text, tag: text });
	});
});

describe("JSON that is not a NewPlant is 422, and the message names the member", () => {
	it.each([
		["one above int64", "9223372036854775808"],
		["one below int64", "-9223372036854775809"],
		["one above int64, with an exponent", "9.223372036854775808e18"],
		["a fraction", "1.5"],
		["a fraction that a double rounds away", "9223372036854775807.0000000001"],
		["a fraction that a double rounds to 1", "0.99999999999999999999999"],
		["a fraction that a double rounds to 0", "1e-1000000000"],
		["a negative exponent that leaves a fraction", "92233720368547758075e-2"],
		["too large for a double", "1e1000000000"],
		["a string", '"9223372036854000000"'],
		["null", "null"],
	])("id is %s", async (_, id) => {
		await expectError(await post(`{"id":${id},"name":"Monstera"}`), 422, idMessage);
	});
	const members = Object.entries(wrong);
	describe.each(members)("%s", (member, { message, values }) => {
		it.each(values)("is %s", async (value) => {
			// The last of two members with the same name counts.
			const body = `{"id":${newId()},"name":"Monstera","${member}":${value}}`;
			await expectError(await post(body), 422, `${member}: ${message}`);
		});
	});
	it("every member is wrong: all are named at once", async () => {
		const sent = members.map(([member, { values }]) => `"${member}":${values[0]}`);
		const named = members.map(([member, { message }]) => `${member}: ${message}`);
		const message = [idMessage, ...named].join("; ");
		await expectError(await post(`{"id":1.5,${sent.join()}}`), 422, message);
	});
	it.each(["null", "9223372036854000000", '"Monstera"', "[{}]"])("the body is %s", async (body) => {
		await expectError(await post(body), 422, /^body: must be a JSON object$/);
	});
});
