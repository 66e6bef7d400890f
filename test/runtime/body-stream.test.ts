// A body as a stream: how much of it is read. And a header that wrangler dev removes if it is empty.
import { expect, it } from "vitest";
import { expectError, expectPlant } from "../support/responses.ts";
import { accepted, create } from "./app.ts";

const LIMIT = 102_400;
const CHUNK = 16 * 1024;

/** A body far over the limit, though not endless, and the number of bytes that were read. */
function tooLong() {
	const read = { bytes: 0 };
	const body = new ReadableStream({
		type: "bytes",
		pull(controller) {
			read.bytes += CHUNK;
			controller.enqueue(new Uint8Array(CHUNK).fill(0x20));
			if (read.bytes >= 100 * LIMIT) controller.close();
		},
	});
	return { body, read };
}

it("a body of unknown length is read to 100 KiB, and no further", async () => {
	const { body, read } = tooLong();
	await expectError(await create(body), 413, /102400 bytes/);
	expect(read.bytes).toBeLessThanOrEqual(LIMIT + 2 * CHUNK);
});

it("a body with a Content-Length over 100 KiB is not read", async () => {
	const { body, read } = tooLong();
	const response = await create(body, { ...accepted, "Content-Length": `${LIMIT + 1}` });
	await expectError(response, 413, /102400 bytes/);
	expect(read.bytes).toBeLessThanOrEqual(CHUNK);
});

it("without a token, or with another media type, the body is not read", async () => {
	const { body, read } = tooLong();
	await expectError(await create(body, {}), 401, /Authorization/);
	const other = { ...accepted, "Content-Type": "text/plain" };
	await expectError(await create(body, other), 415, /application\/json/);
	expect(read.bytes).toBeLessThanOrEqual(CHUNK);
});

it("an empty Content-Encoding is accepted", async () => {
	const headers = { ...accepted, "Content-Encoding": "" };
	await expectPlant(await create('{"id":1,"name":"Ficus"}', headers), { name: "Ficus" });
});
