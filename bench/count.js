// What a request costs a process in user space, counted in the best way that this machine has.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const perf = ["perf", "stat", "-x,", "-e", "instructions:u"];
const dumps = join(tmpdir(), `plant-store-callgrind-${process.pid}`);

/** User-space CPU time that a process has taken so far, in µs (proc(5), utime in ticks of 10 ms). */
const cpuTime = (pid) =>
	Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[11]) * 10_000;

/**
 * Each counter has a unit and says how it counts. `wrap` is what the process must be started under;
 * `count` runs an action and returns what the process spent meanwhile. `requests` are enough for a
 * round, after `warm` of them. A counter that may run for all workers `together` is not disturbed by that.
 */
const counters = [
	{
		unit: "instructions",
		how: perf.join(" "),
		works: () => /^\d/m.test(spawnSync(perf[0], [...perf.slice(1), "true"]).stderr?.toString()),
		wrap: [],
		warm: 20_000,
		requests: 20_000,
		async count(pid, action) {
			const child = spawn(perf[0], [...perf.slice(1), "-p", pid]);
			const output = child.stderr.setEncoding("utf8").toArray();
			await new Promise((resolve) => setTimeout(resolve, 300));
			await action();
			child.kill("SIGINT");
			return Number((await output).join("").split(",")[0]);
		},
	},
	{
		unit: "instructions",
		how: "valgrind --tool=callgrind",
		works: () => spawnSync("valgrind", ["--version"]).status === 0,
		wrap: [
			"valgrind",
			"--tool=callgrind",
			"--smc-check=all-non-file",
			// Else the threads that compile for V8 starve.
			"--fair-sched=yes",
			"--log-file=/dev/null",
			`--callgrind-out-file=${dumps}.%p`,
		],
		together: true,
		warm: 6000,
		requests: 1500,
		async count(pid, action) {
			const control = (flag) =>
				execFileSync("callgrind_control", [flag, `${pid}`], { stdio: "pipe" });
			control("--zero");
			await action();
			control("--dump");
			const name = `${dumps}.${pid}`;
			const files = readdirSync(tmpdir()).map((file) => join(tmpdir(), file));
			const dump = files.find((file) => file.startsWith(`${name}.`));
			const total = /^totals: (\d+)/m.exec(readFileSync(dump, "utf8"))[1];
			for (const file of files) if (file.startsWith(name)) rmSync(file);
			return Number(total);
		},
	},
	{
		unit: "µs of CPU time",
		how: "/proc/…/stat, as neither perf nor valgrind counts instructions here",
		works: () => true,
		wrap: [],
		warm: 20_000,
		requests: 20_000,
		async count(pid, action) {
			const before = cpuTime(pid);
			await action();
			return cpuTime(pid) - before;
		},
	},
];

/** The first counter that works on this machine. */
export const counter = counters.find(({ works }) => works());
