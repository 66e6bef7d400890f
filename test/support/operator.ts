// An operator of the service, at a small Cloudflare, who types the commands in the documents.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { it } from "vitest";
import * as cloudflare from "./cloudflare.ts";
import { type Code, fill, findCode } from "./pages.ts";
import { copyProject, gitUser } from "./project.ts";

export interface Operator {
	/** The home of the operator. It has a clone of the project. */
	home: string;
	account: cloudflare.Account;
	/** Types code of a page, with these values for its placeholders. Rejects if it fails. */
	type: (code: Code, values?: Record<string, string>) => Promise<string>;
	/** Runs other commands in the same terminal. Rejects if they fail. Both resolve to what is printed. */
	run: (commands: string) => Promise<string>;
}

/** PATH without this project's commands: a clone has its own, once `npm ci` has been typed there. */
const path = `${process.env["PATH"]}`.replaceAll(/[^:]*\/node_modules\/\.bin:/g, "");
/** Returns the path of the real program with this name. */
const locate = (name: string) =>
	execFileSync("sh", ["-c", `command -v ${name}`], {
		env: { PATH: path },
		encoding: "utf8",
	}).trim();
const modules = resolve("node_modules");
/** Takes the place of npm: installs by links, and neither checks nor tests anything. */
const fastNpm = `#!/bin/sh
case "$*" in
"ci" | "ci --ignore-scripts")
	# What an intruder has planted runs, as a package of theirs would.
	[ ! -e planted.sh ] || sh planted.sh
	rm -rf node_modules && mkdir node_modules && ln -s '${modules}'/* '${modules}/.bin' node_modules
	;;
"test" | "run check") ;;
*) exec '${locate("npm")}' "$@" ;;
esac
`;
/** Takes the place of npx: starts an installed command, such as Wrangler, without npm, which is slow. */
const fastNpx = `#!/bin/sh
[ ! -e "node_modules/.bin/$1" ] || exec "node_modules/.bin/$@"
exec '${locate("npx")}' "$@"
`;
const baseUrl = await cloudflare.listen();

/** Opens a terminal: a bash that keeps its folder and its variables from one command to the next. */
function openTerminal(home: string) {
	const env = {
		...process.env,
		...gitUser,
		HOME: home,
		PATH: `${join(home, "bin")}:${path}`,
		CLOUDFLARE_API_BASE_URL: baseUrl,
		WRANGLER_LOG: "log",
		npm_config_offline: "true",
		npm_config_loglevel: "error",
	};
	const bash = spawn("bash", { cwd: home, env, stdio: ["pipe", "pipe", "ignore"], detached: true });
	const END = /\[status (\d+)\]\n$/;
	async function run(commands: string): Promise<string> {
		let output = "";
		const ended = new Promise<void>((resolve) => {
			bash.stdout.on("data", function read(chunk: Buffer) {
				output += chunk;
				if (!END.test(output)) return;
				bash.stdout.off("data", read);
				resolve();
			});
		});
		const quoted = `'${commands.replaceAll("'", String.raw`'\''`)}'`;
		bash.stdin.write(`eval ${quoted} </dev/null 2>&1; echo "[status $?]"\n`);
		await ended;
		const [, status] = END.exec(output) ?? [];
		if (status === "0") return output.replace(END, "");
		throw new Error(`${commands}\nfails, with this output:\n${output}`);
	}
	return { run, close: () => process.kill(-(bash.pid ?? 0), "SIGKILL") };
}

/** Puts a clone of the project, with one commit, into a new home. Opens a terminal there. */
async function moveIn() {
	const home = mkdtempSync(join(tmpdir(), "home-"));
	mkdirSync(join(home, "bin"));
	writeFileSync(join(home, "bin/npm"), fastNpm, { mode: 0o700 });
	writeFileSync(join(home, "bin/npx"), fastNpx, { mode: 0o700 });
	symlinkSync(process.execPath, join(home, "bin/node"));
	const terminal = openTerminal(home);
	await terminal.run(`mv '${copyProject()}' clone && cd clone && npm ci
		git init -qb main && git add . && git commit -qm First`);
	return { home, ...terminal };
}

/** Changes a file, as in an editor. Throws if it lacks this. */
export function edit(file: string, before: RegExp, after: string) {
	const text = readFileSync(file, "utf8");
	if (!before.test(text)) throw new Error(`${file} has no ${before}`);
	writeFileSync(file, text.replace(before, after));
}

/** Gives Wrangler access to the account, in a clone. */
export function writeEnv(clone: string, { apiToken }: cloudflare.Account) {
	const line = findCode("docs/operating.md", "The account", "CLOUDFLARE_API_TOKEN=");
	writeFileSync(join(clone, ".env"), fill(line, { "<api-token>": apiToken }));
}

/**
 * Sets up what the operator has: an origin, `wrangler.toml` with its ids, a live Worker with two tokens,
 * three plants, a backup of them, and a clone for the monitor in `~/monitor`.
 */
export async function startService({ home, account, run }: Operator) {
	const plants = new Map(["1", "2", "30"].map((id) => [id, `{"id":${id},"name":"Rose"}`]));
	const namespace = cloudflare.createNamespace(account, "plant-store-plants", plants);
	edit(join(home, "clone/wrangler.toml"), /^# account_id = .+/m, `account_id = "${account.id}"`);
	edit(join(home, "clone/wrangler.toml"), /^# id = .+/m, `id = "${namespace}"`);
	await run(`git commit -qam Ids && git clone -q --bare . ../origin.git
		git remote add origin ../origin.git && git fetch -q && git branch -q -u origin/main
		git clone -q ../origin.git ../monitor && (cd ../monitor && npm ci)`);
	for (const clone of ["clone", "monitor"]) writeEnv(join(home, clone), account);
	const lines = [...plants].map(([key, value]) => JSON.stringify({ key, value }));
	const backup = join(home, "plant-backups/nightly.json");
	mkdirSync(join(home, "plant-backups"));
	writeFileSync(backup, `[\n${lines.join("\n,\n")}\n]\n`);
	const message = (await run("git rev-parse HEAD")).trim();
	const secrets = new Map([
		["ACCESS_TOKEN", "own"],
		["ACCESS_TOKEN_SHOP", "shop"],
	]);
	const content = { code: "", namespace, secrets, message };
	const worker = cloudflare.createWorker(account, "plant-store", content);
	return { worker, namespace, plants, backup, commit: message };
}

/**
 * A test in which an operator with an empty account types commands. If it fails, the message has all
 * that was typed until then.
 */
export function scene(name: string, play: (operator: Operator) => Promise<void>) {
	it(name, { timeout: 1_800_000 }, async () => {
		const account = cloudflare.openAccount();
		const { home, run, close } = await moveIn();
		const typed: string[] = [];
		const type = (code: Code, values: Record<string, string> = {}) => {
			const command = fill(code, values);
			typed.push(`${code.place}: ${command}`);
			return run(command);
		};
		try {
			await play({ home, account, type, run });
		} catch (exception) {
			if (!(exception instanceof Error)) throw exception;
			const notes = [
				...typed.map((line) => `Typed: ${line}`),
				...account.unknownRequests.map(
					(line) => `test/support/cloudflare.ts has no route: ${line}`,
				),
			];
			exception.message += `\n${notes.join("\n")}`;
			throw exception;
		} finally {
			close();
		}
	});
}
