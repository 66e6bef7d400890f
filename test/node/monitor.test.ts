// The monitor, as docs/operating.md has it: a file for curl, and a line of crontab.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { plainEnvironment } from "../support/environment.ts";
import { serveKv } from "../support/kv-server.ts";
import { bundle, startWorkerd } from "../support/workerd.ts";

const run = promisify(execFile);

it("the monitor prints nothing if its plant is stored, and otherwise the response", async () => {
	const kv = await serveKv((id) => (id === "503" ? 403 : 200));
	const external = `external = (address = "${kv}", http = ())`;
	const { child, url } = await startWorkerd(bundle("src/index.ts"), "good", external);
	onTestFinished(() => void child.kill());
	const page = readFileSync("docs/operating.md", "utf8");
	const [, save = ""] = /(\(umask 077 [^]+?)\n +```/.exec(page) ?? [];
	const [read = ""] = /read -rs \w+/.exec(page) ?? [];
	const [, line = ""] = /\*\/10 \* \* \* \* (.+)/.exec(page) ?? [];
	const mail = async (address: string, token: string, id: string) => {
		const home = mkdtempSync(join(tmpdir(), "home-"));
		// A user's configuration of curl, which the monitor doesn't read.
		writeFileSync(join(home, ".curlrc"), "verbose\nfail\n");
		const options = { env: plainEnvironment(home) };
		const typed = save.replace("<url>", address).replace("<id>", id);
		await run("bash", ["-c", `{ ${read}\n${typed}\n} <<< ${token}`], options);
		const { stdout, stderr } = await run("sh", ["-c", line], options);
		return stdout + stderr;
	};
	expect(await mail(url, "good", "1")).toBe("");
	expect(await mail(url, "good", "503")).toMatch(/^Not stored: {"error":503,/);
	expect(await mail(url, "wrong", "1")).toMatch(/^Not stored: {"error":401,/);
	expect(await mail("http://127.0.0.1:1", "good", "1")).toMatch(/^Not stored: ./);
});
