// The body as bytes: media type, coding, size, encoding, JSON.
import { describe, it } from "vitest";
import { expectError, expectPlant } from "../support/responses.ts";
import { newId, newPlant, post, request, token } from "./client.ts";

const encoder = new TextEncoder();

/** 100 KiB. */
const limit = 102_400;

describe("the media type is application/json, with or without parameters", () => {
	it.each([
		"APPLICATION/JSON",
		"application/json ; charset=UTF-8",
		'application/json\t;profile="x"',
	])("%j", async (type) => {
		const response = await post(newPlant(), { "Content-Type": type });
		await expectPlant(response, { name: "Monstera" });
	});
});

describe("any other media type is 415", () => {
	it.each([
		"application/jsonp",
		"application/json, application/json",
		"multipart/form-data; boundary=application/json",
	])("%s", async (type) => {
		const response = await post(newPlant(), { "Content-Type": type });
		const message = /^Send JSON, with one Content-Type header: application\/json\.$/;
		await expectError(response, 415, message);
	});
	it("none at all", async () => {
		// A body of bytes, because fetch would give a string a Content-Type of its own.
		const body = encoder.encode(newPlant());
		const headers = { Authorization: `Bearer ${token}` };
		const response = await request("/plants", { method: "POST", headers, body });
		await expectError(response, 415, /application\/json/);
	});
});

describe("any Content-Encoding but identity is 415, and the message says to send none", () => {
	it("identity, in any case, is accepted", async () => {
		const response = await post(newPlant(), { "Content-Encoding": "Identity" });
		await expectPlant(response, { name: "Monstera" });
	});
	it.each(["gzip", "deflate", "identity, br"])("%s", async (coding) => {
		const response = await post(newPlant(), { "Content-Encoding": coding });
		const message = /^Send the body uncompressed, without the header Content-Encoding\.$/;
		await expectError(response, 415, message);
	});
});

describe.each([
	["with a Content-Length", (body: string) => body],
	// fetch sends a stream in chunks, without a Content-Length.
	["in chunks", (body: string) => new Blob([body]).stream()],
])("the limit of a body %s is 100 KiB", (_, send) => {
	it("100 KiB are accepted", async () => {
		await expectPlant(await post(send(newPlant().padStart(limit))), { name: "Monstera" });
	});
	// For most bodies of 10 MiB, wrangler dev responds with 500 if the service reads only a part.
	it.each([limit + 1, 10 * 2 ** 20])("four of %i bytes are 413", async (bytes) => {
		for (let body = 1; body <= 4; body++) {
			const response = await post(send(newPlant().padStart(bytes)));
			await expectError(response, 413, /^Send a body of at most 102400 bytes\.$/);
		}
	});
});

describe("a body that is not UTF-8 is 400", () => {
	it.each([
		["Latin-1", [0xe9]],
		["an encoded surrogate", [0xed, 0xa0, 0x80]],
	])("%s", async (_, bytes) => {
		const start = encoder.encode(`{"id":${newId()},"name":"`);
		const body = new Uint8Array([...start, ...bytes, ...encoder.encode('"}')]);
		const message = /^Send the body as UTF-8: some of its bytes are not UTF-8\.$/;
		await expectError(await post(body), 400, message);
	});
	it("a byte order mark before the JSON is ignored (RFC 8259, section 8.1)", async () => {
		await expectPlant(await post(`\uFEFF${newPlant()}`), { name: "Monstera" });
	});
});

describe("a body that is not JSON is 400", () => {
	it.each([
		["no body at all", null],
		["white space", " "],
		["a trailing comma", '{"id":9223372036854000000,"name":"Monstera",}'],
		["100 KiB of opening brackets", "[".repeat(limit)],
	])("%s", async (_, body) => {
		const message = /^Send well-formed JSON, such as \{"id": 1, "name": "Monstera"\}\.$/;
		await expectError(await post(body), 400, message);
	});
});

it("a body with 50,000 levels of nesting is 400, and the message says so", async () => {
	const more = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
	const response = await post(`{"more":${more},"id":${newId()},"name":"Monstera"}`);
	await expectError(response, 400, /^Send JSON with less nesting: this has too many levels\.$/);
});

describe("of several failures, the first in this order is reported", () => {
	const tooLarge = "[".repeat(limit + 1);
	const latin1 = new Uint8Array([0x7b, 0xe9]);
	const gzip = { "Content-Encoding": "gzip" };
	const text = { "Content-Type": "text/plain" };
	it.each([
		["the token before the coding", tooLarge, { Authorization: "", ...gzip }, 401, /token/],
		["the media type before the coding", "", { ...text, ...gzip }, 415, /JSON/],
		["the coding before the size", tooLarge, gzip, 415, /Encoding/],
		["the size before JSON", tooLarge, {}, 413, /bytes/],
		["UTF-8 before JSON", latin1, {}, 400, /UTF-8/],
		["JSON before NewPlant", '{"id":"x"', {}, 400, /JSON/],
	])("%s", async (_, body, headers, error, message) => {
		await expectError(await post(body, headers), error, message);
	});
});
