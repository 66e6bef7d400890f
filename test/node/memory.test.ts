// Hostile bodies at once while KV is slow, with the memory of an isolate on Cloudflare.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const SLOW_KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.text(); await scheduler.wait(3000); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

let service: Awaited<ReturnType<typeof startWorkerd>>;
beforeAll(async () => {
	const file = await bundle("src/index.ts");
	const v8Flags = ["--max-heap-size=128"];
	service = await startWorkerd({ file, token: "token", kv: SLOW_KV, v8Flags });
});
afterAll(() => void service?.child.kill());

/** Sends this many bodies at once, and returns the statuses. */
async function send(times: number, body: () => NonNullable<RequestInit["body"]>) {
	const headers = { Authorization: "Bearer token", "Content-Type": "application/json" };
	const create = async () => {
		const init = { method: "POST", headers, body: body(), duplex: "half" as const };
		const { status } = await fetch(`${service.url}/plants`, init);
		return status;
	};
	return Promise.all(Array.from({ length: times }, create));
}

// Only Linux tells the peak of another process.
const onLinux = it.runIf(process.platform === "linux");

onLinux("4 bodies of 64 KiB in chunks of one byte take less than 256 MiB", async () => {
	const bytes = Buffer.from(`{"id":1,"name":"${"x".repeat(2 ** 16)}"}`);
	const chunked = () => ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte)));
	expect(await send(4, chunked)).toEqual(Array(4).fill(200));
	const status = readFileSync(`/proc/${service.child.pid}/status`, "utf8");
	const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
	expect(Number(peak) / 1024).toBeLessThan(256);
});

it("48 bodies of 1 MiB that repeat an ignored member are answered", async () => {
	const body = `{${'"":1,'.repeat(209_000)}"id":1,"name":"Monstera"}`;
	expect(await send(48, () => body)).toEqual(Array(48).fill(200));
});
