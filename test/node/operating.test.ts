// What the documents say of this project's settings, and the monitor's line of crontab.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { bundle, startWorkerd } from "../support/workerd.ts";

const run = promisify(execFile);
const newFolder = () => mkdtempSync(join(tmpdir(), "operating-"));

const toml = readFileSync("wrangler.toml", "utf8");

/** Returns the value of a top-level key in wrangler.toml. */
const setting = (key: string) => new RegExp(`^${key} = "?([^"\n]+)`, "m").exec(toml)?.[1];

it.each(["README.md", "docs/clients.md"])(
	"%s has the port and the token of npm run dev",
	(file) => {
		const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
		const [, token] = /ACCESS_TOKEN=(\S+)/.exec(scripts.dev) ?? [];
		const text = readFileSync(file, "utf8");
		const ports = text.match(/(?<=localhost:|(?<!-)port |instead of )\d{4}/g);
		expect(new Set(ports)).toEqual(new Set([setting("port")]));
		const tokens = text.match(/local-[a-z-]+/g);
		expect(new Set(tokens)).toEqual(new Set([token]));
	},
);

it.each([
	["docs/operating.md", "the Worker `*-staging`"],
	["docs/incidents.md", "`*-plants` or, in a second environment, `*-staging-plants`"],
])("%s has the name in wrangler.toml", (file, text) => {
	expect(readFileSync(file, "utf8")).toContain(text.replaceAll("*", `${setting("name")}`));
});

it.each(["preview_urls = false", "redact_query_string = true"])(
	"SECURITY.md promises what %s does",
	(line) => {
		expect(toml.split("\n")).toContain(line);
	},
);

it("the monitor prints nothing if its plant is stored, and otherwise the response", async () => {
	// Each write of the plant 503 is refused.
	const kv = `worker = (modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null, { status: request.url.includes('503') ? 403 : 200 }); } };")], compatibilityDate = "2026-01-01")`;
	const { child, url } = await startWorkerd(bundle("src/index.ts"), "good", kv);
	onTestFinished(() => void child.kill());
	const page = readFileSync("docs/operating.md", "utf8");
	const [, save = ""] = /(\(umask 077 [^]+?)\n +```/.exec(page) ?? [];
	const [, line = ""] = /\*\/10 \* \* \* \* (.+)/.exec(page) ?? [];
	const mail = async (address: string, token: string, id: string) => {
		const home = newFolder();
		// A user's configuration of curl, which the monitor doesn't read.
		writeFileSync(join(home, ".curlrc"), "verbose\nfail\n");
		const options = { env: { ...process.env, HOME: home, token } };
		const typed = save.replace("<url>", address).replace("<id>", id);
		await run("sh", ["-c", typed], options);
		const { stdout, stderr } = await run("sh", ["-c", line], options);
		return stdout + stderr;
	};
	expect(await mail(url, "good", "1")).toBe("");
	expect(await mail(url, "good", "503")).toMatch(/^Not stored: {"error":503,/);
	expect(await mail(url, "wrong", "1")).toMatch(/^Not stored: {"error":401,/);
	expect(await mail("http://127.0.0.1:1", "good", "1")).toMatch(/^Not stored: curl: /);
});
