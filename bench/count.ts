// Counts the instructions that a process runs in user space, with valgrind's callgrind. Unlike the
// processor's own counters it works on any Linux, and other load hardly changes what it counts.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dumps = `plant-store-callgrind-${process.pid}`;

/** How to start a workerd that is counted. It counts nothing until `startCounting`, which makes warming up faster. */
export const COUNTED = {
	wrap: [
		"valgrind",
		"--tool=callgrind",
		"--instr-atstart=no",
		"--smc-check=all-non-file",
		// Otherwise V8's other threads starve.
		"--fair-sched=yes",
		"--log-file=/dev/null",
		`--callgrind-out-file=${join(tmpdir(), dumps)}.%p`,
	],
	// Compiler threads get their turn by chance, and a Worker would stay in slower code for thousands of
	// requests in one run and not in another.
	v8Flags: ["--no-concurrent-recompilation"],
};

/** Whether this machine has what counts. */
export const canCount = spawnSync("callgrind_control", ["--version"]).status === 0;

const control = (flag: string, pid: number) =>
	execFileSync("callgrind_control", [flag, `${pid}`], { stdio: "pipe" });

/** Begins to count what a process runs. */
export const startCounting = (pid: number) => control("--instr=on", pid);

/** The instructions that a process runs during an action. */
export async function count(pid: number, action: () => Promise<unknown>): Promise<number> {
	control("--zero", pid);
	await action();
	control("--dump", pid);
	const files = readdirSync(tmpdir()).filter((name) => name.startsWith(`${dumps}.${pid}`));
	const totals = files.map((name) => {
		const path = join(tmpdir(), name);
		const total = /^totals: (\d+)/m.exec(readFileSync(path, "utf8"))?.[1];
		rmSync(path);
		return Number(total ?? 0);
	});
	return Math.max(...totals);
}
