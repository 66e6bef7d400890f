// How much of a body is read.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import app from "../../src/index.ts";
import { expectError } from "../support/plants.ts";

const CHUNK = 64 * 1024;
const headers = { Authorization: `Bearer ${env.ACCESS_TOKEN}`, "Content-Type": "application/json" };

/** A body far over the limit, though not endless, and the number of bytes that were read. */
function tooLong() {
	const taken = { bytes: 0 };
	const body = new ReadableStream({
		type: "bytes",
		pull(controller) {
			taken.bytes += CHUNK;
			controller.enqueue(new Uint8Array(CHUNK).fill(0x20));
			if (taken.bytes >= 64 * 2 ** 20) controller.close();
		},
	});
	return { body, taken };
}

const post = (body: ReadableStream, given: Record<string, string>) =>
	app.request("/plants", { method: "POST", headers: given, body }, env);

it.each([undefined, "", "x", "1x"])(
	"a body with the Content-Length %j is read to 1 MiB, and no further",
	async (length) => {
		const { body, taken } = tooLong();
		const given = length === undefined ? headers : { ...headers, "Content-Length": length };
		await expectError(await post(body, given), 413, /1048576 bytes/);
		expect(taken.bytes).toBeLessThanOrEqual(2 ** 20 + 2 * CHUNK);
	},
);

it("a body with a Content-Length over 1 MiB is not read", async () => {
	const { body, taken } = tooLong();
	const answer = await post(body, { ...headers, "Content-Length": `${2 ** 20 + 1}` });
	await expectError(answer, 413, /1048576 bytes/);
	expect(taken.bytes).toBeLessThanOrEqual(CHUNK);
});

it("without a token, or with another media type, the body is not read", async () => {
	const { body, taken } = tooLong();
	await expectError(await post(body, {}), 401, /Authorization/);
	const other = { ...headers, "Content-Type": "text/plain" };
	await expectError(await post(body, other), 415, /application\/json/);
	expect(taken.bytes).toBeLessThanOrEqual(CHUNK);
});

it.each([undefined, "100"])(
	"a body with the Content-Length %j that is cut off is 400",
	async (length) => {
		const body = new ReadableStream({
			type: "bytes",
			pull(controller) {
				controller.error(new Error("the client is gone"));
			},
		});
		const given = length === undefined ? headers : { ...headers, "Content-Length": length };
		await expectError(await post(body, given), 400, /cut off/);
	},
);
