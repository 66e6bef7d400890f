// Many large bodies at once while KV is slow, with the memory of an isolate on Cloudflare.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const SLOW_KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.text(); await scheduler.wait(3000); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

it("24 bodies of 1 MiB with many ignored members are answered in a heap of 128 MB", async ({
	onTestFinished,
}) => {
	const folder = mkdtempSync(join(tmpdir(), "plant-store-memory-"));
	const file = await bundle("src/index.ts", folder);
	const v8Flags = ["--max-heap-size=128"];
	const { child, url } = await startWorkerd({ file, token: "token", kv: SLOW_KV, v8Flags });
	onTestFinished(() => void child.kill());
	const headers = { Authorization: "Bearer token", "Content-Type": "application/json" };
	const body = `{"id":1,"name":"Monstera","ignored":[${"{},".repeat(349_000)}{}]}`;
	const send = () => fetch(`${url}/plants`, { method: "POST", headers, body });
	const answers = await Promise.all(Array.from({ length: 24 }, send));
	expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
});
