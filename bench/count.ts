// Counts the instructions that workerd runs in user space, with valgrind's callgrind.
// It works on any Linux, and other load hardly changes its counts.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startWorkerd } from "../test/support/workerd.ts";

/** A KV service that acknowledges every write at once. */
const INSTANT_KV = `worker = (
  modules = [(name = "kv.js", esModule = "export default { async fetch(request) { await request.arrayBuffer(); return new Response(null); } };")],
  compatibilityDate = "2026-01-01",
)`;

/**
 * Starts a bundle in workerd under callgrind, with a KV that answers at once. Resolves to its base
 * URL, and to functions that begin to count, and that return the instructions since the last call.
 */
export async function startCounted(file: string, token: string) {
	const counts = join(dirname(file), "counts");
	const vgdb = `--vgdb-prefix=${join(dirname(file), "vgdb")}`;
	// In a session of its own: Ctrl-C ends this process alone, which then ends workerd.
	const valgrind = ["setsid", "valgrind", "--quiet", vgdb];
	const callgrind = ["--tool=callgrind", `--callgrind-out-file=${counts}`, "--instr-atstart=no"];
	const { child, url } = await startWorkerd({
		file,
		token,
		kv: INSTANT_KV,
		wrap: [...valgrind, ...callgrind],
		// Valgrind schedules threads by chance. V8's compiler, in a thread of its own, would be late
		// by thousands of requests in one run and not in another.
		v8Flags: ["--single-threaded"],
	});
	const control = (flag: string) =>
		promisify(execFile)("callgrind_control", [vgdb, flag, `${child.pid}`]);
	let dumps = 0;
	const count = async () => {
		// Writes a file with the next number at the end of its name, and starts again from zero.
		await control("--dump");
		dumps++;
		const dump = readFileSync(`${counts}.${dumps}`, "utf8");
		const [, total] = /^totals: (\d+)/m.exec(dump) ?? [];
		if (!total) throw new Error("callgrind wrote a dump without totals.");
		return Number(total);
	};
	return { url, begin: () => control("--instr=on"), count };
}
