// Behind the proxy of wrangler dev, which answers 500 in place of the service if a body is half read.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";

const token = "dev-token";
const server = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: token } }],
});
let url: URL;
beforeAll(async () => {
	({ url } = await server.listen());
});
afterAll(() => server.close());

/** 10 MiB of white space in chunks. */
function tooLarge(): ReadableStream {
	const chunk = new Uint8Array(2 ** 16).fill(0x20);
	let left = 160;
	return new ReadableStream({
		pull(controller) {
			controller.enqueue(chunk);
			if (--left === 0) controller.close();
		},
	});
}

it("a body over 1 MiB without a Content-Length is refused by the service itself, every time", async () => {
	for (let times = 0; times < 12; times++) {
		const answer = await fetch(new URL("/plants", url), {
			method: "POST",
			headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
			body: tooLarge(),
			duplex: "half",
		});
		expect(await answer.text()).toContain('"error":413');
	}
});
