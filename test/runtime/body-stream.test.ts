// A body as a stream: how much of it is read.
import { expect, it } from "vitest";
import { MAX_BODY_BYTES } from "../../src/plant.ts";
import { expectError } from "../support/responses.ts";
import { accepted, create } from "./app.ts";

const CHUNK = 16 * 1024;

/** A body far over the limit, though not endless, and the number of bytes that were read. */
function tooLong() {
	const read = { bytes: 0 };
	const body = new ReadableStream({
		type: "bytes",
		pull(controller) {
			read.bytes += CHUNK;
			controller.enqueue(new Uint8Array(CHUNK).fill(0x20));
			if (read.bytes >= 100 * MAX_BODY_BYTES) controller.close();
		},
	});
	return { body, read };
}

const tooLarge = new RegExp(`${MAX_BODY_BYTES} bytes`);

it("a body of unknown length is read to the limit, and no further", async () => {
	const { body, read } = tooLong();
	await expectError(await create(body), 413, tooLarge);
	expect(read.bytes).toBeLessThanOrEqual(MAX_BODY_BYTES + 2 * CHUNK);
});

it("a body with a Content-Length over the limit is not read", async () => {
	const { body, read } = tooLong();
	const response = await create(body, { ...accepted, "Content-Length": `${MAX_BODY_BYTES + 1}` });
	await expectError(response, 413, tooLarge);
	expect(read.bytes).toBeLessThanOrEqual(CHUNK);
});

it("without a token, or with another media type, the body is not read", async () => {
	const { body, read } = tooLong();
	await expectError(await create(body, {}), 401, /Authorization/);
	const other = { ...accepted, "Content-Type": "text/plain" };
	await expectError(await create(body, other), 415, /application\/json/);
	expect(read.bytes).toBeLessThanOrEqual(CHUNK);
});
