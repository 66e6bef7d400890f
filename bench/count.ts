// Counts the instructions that a process runs in user space, with valgrind's callgrind. Unlike the
// processor's own counters it works on any Linux, and other load hardly changes what it counts.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dumps = `plant-store-callgrind-${process.pid}`;

/** The command to start a process under. It counts nothing until `startCounting`, which makes warming up faster. */
export const CALLGRIND = [
	"valgrind",
	"--tool=callgrind",
	"--instr-atstart=no",
	"--smc-check=all-non-file",
	// Otherwise the threads that compile for V8 starve.
	"--fair-sched=yes",
	"--log-file=/dev/null",
	`--callgrind-out-file=${join(tmpdir(), dumps)}.%p`,
];

/**
 * Options for a V8 that is counted. With threads that compile beside it, which under valgrind come to
 * their turn by chance, one and the same Worker would stay in slower code for thousands of requests, or not.
 */
export const COUNTED_V8 = ["--no-concurrent-recompilation"];

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
