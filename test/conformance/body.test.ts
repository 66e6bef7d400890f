// The body as bytes: media type, encoding, JSON, size.
import { describe, it } from "vitest";
import { create, expectError, expectPlant, newId } from "../support/plants.ts";

const encoder = new TextEncoder();

/** A NewPlant of exactly this many bytes, and the Plant to expect. */
function sized(bytes: number) {
	const empty = `{"id":${newId()},"name":""}`;
	const plant = { name: "x".repeat(bytes - empty.length) };
	return { plant, body: empty.replace('""', `"${plant.name}"`) };
}

/** A body as a stream, sent in chunks and without a Content-Length. */
function chunked(body: string, size = 64 * 1024): ReadableStream {
	const bytes = encoder.encode(body);
	let offset = 0;
	return new ReadableStream({
		pull(controller) {
			controller.enqueue(bytes.slice(offset, offset + size));
			offset += size;
			if (offset >= bytes.length) controller.close();
		},
	});
}

describe("a Content-Type other than application/json is 415", () => {
	it.each([
		"application/json",
		"APPLICATION/JSON",
		"application/json;charset=utf-8",
		"application/json ; charset=UTF-8",
		"application/json;",
		"application/json\t;charset=utf-8",
		'application/json; profile="x"',
	])("%j is application/json", async (type) => {
		const response = await create(`{"id":${newId()},"name":"Monstera"}`, {
			"Content-Type": type,
		});
		await expectPlant(response, { name: "Monstera" });
	});
	it.each([
		"text/plain",
		"text/json",
		"application/jsonp",
		"application/json5",
		"application/jsont",
		"application/ld+json",
		"application/json-patch+json",
		"application/json+x",
		"application/json, text/plain",
		"application/x-www-form-urlencoded",
		"multipart/form-data; boundary=application/json",
		"application",
		"*/*",
	])("%s", async (type) => {
		const response = await create(`{"id":${newId()},"name":"Monstera"}`, {
			"Content-Type": type,
		});
		await expectError(response, 415, /application\/json/);
	});
	it("no Content-Type", async () => {
		// A body of bytes, since a string would be given a Content-Type of its own.
		const bytes = encoder.encode(`{"id":${newId()},"name":"Monstera"}`);
		await expectError(await create(bytes, { "Content-Type": undefined }), 415, /application\/json/);
	});
});

describe("a body that is not UTF-8 is 400", () => {
	it.each([
		["a byte that is never UTF-8", [0xff]],
		["Latin-1", [0xe9]],
		["a sequence cut short", [0xe2, 0x82]],
		["an overlong encoding", [0xc0, 0xaf]],
		["an encoded surrogate", [0xed, 0xa0, 0x80]],
		["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
	])("%s", async (_, bytes) => {
		const body = [
			...encoder.encode(`{"id":${newId()},"name":"`),
			...bytes,
			...encoder.encode('"}'),
		];
		await expectError(await create(new Uint8Array(body)), 400, /UTF-8/);
	});
	it("UTF-16", async () => {
		const units = Uint16Array.from(`{"id":${newId()},"name":"é"}`, (unit) => unit.charCodeAt(0));
		await expectError(await create(new Uint8Array(units.buffer)), 400, /UTF-8|JSON/);
	});
});

it("a byte order mark before the JSON is ignored (RFC 8259, section 8.1)", async () => {
	const response = await create(`\uFEFF{"id":${newId()},"name":"Monstera"}`);
	await expectPlant(response, { name: "Monstera" });
});

describe("a body that is not JSON is 400", () => {
	it.each([
		["an empty body", ""],
		["white space", " "],
		["an opening brace alone", "{"],
		["no closing brace", '{"id":9223372036854000000,"name":"Monstera"'],
		["more than one value", '{"id":9223372036854000000,"name":"Monstera"}}'],
		["a trailing comma", '{"id":9223372036854000000,"name":"Monstera",}'],
		["JavaScript", "{id:9223372036854000000,name:'Monstera'}"],
		["a leading zero", '{"id":01,"name":"Monstera"}'],
		["a plus sign", '{"id":+1,"name":"Monstera"}'],
		["a fraction without digits", '{"id":1.,"name":"Monstera"}'],
		["a fraction without an integer", '{"id":.5,"name":"Monstera"}'],
		["hexadecimal", '{"id":0x1,"name":"Monstera"}'],
		["a BigInt", '{"id":1n,"name":"Monstera"}'],
		["NaN", '{"id":NaN,"name":"Monstera"}'],
		["Infinity", '{"id":Infinity,"name":"Monstera"}'],
		["a line break in a string", '{"id":1,"name":"Mon\nstera"}'],
		["an unknown escape", '{"id":1,"name":"\\x41"}'],
		["a comment", '{"id":1,"name":"Monstera"} // new'],
		["a no-break space", "\u00A0{}"],
		["a form", "id=1&name=Monstera"],
		["1 MiB of opening brackets", "[".repeat(2 ** 20)],
	])("%s", async (_, body) => {
		await expectError(await create(body), 400, /JSON/);
	});
	it("no body at all", async () => {
		await expectError(await create(null), 400, /JSON/);
	});
});

describe("a compressed body is 415, and the message says how to send it", () => {
	it.each(["gzip", "deflate"] as const)("%s", async (format) => {
		const plain = new Response(`{"id":${newId()},"name":"Monstera"}`).body;
		const body = await new Response(
			plain?.pipeThrough(new CompressionStream(format)),
		).arrayBuffer();
		const response = await create(body, { "Content-Encoding": format });
		await expectError(response, 415, /without Content-Encoding/);
	});
	it("plain JSON with a Content-Encoding", async () => {
		const body = `{"id":${newId()},"name":"Monstera"}`;
		const response = await create(body, { "Content-Encoding": "br" });
		await expectError(response, 415, /without Content-Encoding/);
	});
	it.each(["identity", "Identity", ""])("%j is none, and is accepted", async (coding) => {
		const body = `{"id":${newId()},"name":"Monstera"}`;
		const response = await create(body, { "Content-Encoding": coding });
		await expectPlant(response, { name: "Monstera" });
	});
});

describe("a body over 1 MiB is 413", () => {
	it("1 MiB is accepted", async () => {
		const { body, plant } = sized(2 ** 20);
		await expectPlant(await create(body), plant);
	});
	it("one byte more is not", async () => {
		await expectError(await create(sized(2 ** 20 + 1).body), 413, /1048576 bytes/);
	});
	it("ten times as much is not", async () => {
		await expectError(await create(sized(10 * 2 ** 20).body), 413, /1048576 bytes/);
	});
	it("1 MiB in chunks is accepted", async () => {
		const { body, plant } = sized(2 ** 20);
		await expectPlant(await create(chunked(body)), plant);
	});
	it("one byte more in chunks is not", async () => {
		await expectError(await create(chunked(sized(2 ** 20 + 1).body)), 413, /1048576 bytes/);
	});
	it("ten times as much in chunks is not, every time", async () => {
		// A service that reads the body in part makes wrangler dev answer 500, but not always.
		for (let times = 0; times < 12; times++) {
			await expectError(await create(chunked(sized(10 * 2 ** 20).body)), 413, /1048576 bytes/);
		}
	});
	it("a character that is split between chunks is kept", async () => {
		const body = `{"id":${newId()},"name":"🌵🌵"}`;
		await expectPlant(await create(chunked(body, 3)), { name: "🌵🌵" });
	});
});

describe("of several failures, the first in this order is the answer", () => {
	const tooLarge = `"${"x".repeat(2 ** 20)}`;
	const latin1 = new Uint8Array([0x7b, 0xe9]);
	it.each([
		["the media type, then the size", tooLarge, "text/plain", 415],
		["the media type, then UTF-8", latin1, "text/plain", 415],
		["the size, then JSON", tooLarge, "application/json", 413],
		["JSON, then NewPlant", '{"id":"x"', "application/json", 400],
	])("%s", async (_, body, type, error) => {
		await expectError(await create(body, { "Content-Type": type }), error, /./);
	});
	it("UTF-8, then JSON", async () => {
		await expectError(await create(latin1), 400, /UTF-8/);
	});
});
