// Counts the instructions that workerd runs in user space, with valgrind's callgrind. Unlike the processor's own
// counters, callgrind works on any Linux, and other load hardly changes its counts.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TOKEN } from "../harness/load.ts";
import { INSTANT_KV, startWorkerd, workerd } from "../harness/workerd.ts";

/** The versions of workerd and of valgrind; undefined if there is no valgrind. */
export function versions(): string | undefined {
	const [ours, valgrind] = [workerd, "valgrind"].map((command) =>
		spawnSync(command, ["--version"], { encoding: "utf8" }).stdout?.trim(),
	);
	return valgrind && `${ours} and ${valgrind.replace("-", " ")}`;
}

/** A workerd whose instructions are counted, but not before `begin`: warming up is faster without counting. */
interface Counted {
	port: number;
	begin(): void;
	/** Runs an action, and resolves to the number of instructions that workerd ran meanwhile. */
	count(action: () => Promise<unknown>): Promise<number>;
}

/** Starts a bundle, with a KV that answers at once. All files that it writes go into a folder. */
export async function startCounted(folder: string, file: string): Promise<Counted> {
	const pipes = `--vgdb-prefix=${join(folder, "vgdb")}`;
	const { child, port } = await startWorkerd({
		folder,
		file,
		token: TOKEN,
		kv: INSTANT_KV,
		wrap: [
			"valgrind",
			"--tool=callgrind",
			"--instr-atstart=no",
			"--log-file=/dev/null",
			`--callgrind-out-file=${join(folder, "counts")}.%p`,
			pipes,
		],
		// Valgrind schedules threads by chance: a Worker that waits for V8's compiler would stay in slower
		// code for thousands of requests in one run and not in another.
		v8Flags: ["--single-threaded"],
	});
	const control = (flag: string) =>
		execFileSync("callgrind_control", [pipes, flag, `${child.pid}`], { stdio: "pipe" });
	return {
		port,
		begin: () => control("--instr=on"),
		async count(action) {
			control("--zero");
			await action();
			control("--dump");
			// Each dump goes into a file of its own, with a number at the end.
			const isDump = (name: string) => name.startsWith(`counts.${child.pid}.`);
			const dump = join(folder, readdirSync(folder).find(isDump) ?? "no dump");
			const total = /^totals: (\d+)/m.exec(readFileSync(dump, "utf8"))?.[1];
			rmSync(dump);
			if (!total) throw new Error("callgrind counted nothing");
			return Number(total);
		},
	};
}
