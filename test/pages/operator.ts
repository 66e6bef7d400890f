// An operator of the service, at a small Cloudflare, who types the commands in the documents.
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { it } from "vitest";
import { plainEnvironment } from "../support/environment.ts";
import { copyProject } from "../support/project.ts";
import * as cloudflare from "./cloudflare.ts";
import { fill, findCode } from "./pages.ts";

/** The name of the Worker. */
export const [, workerName = ""] =
	/^name = "(.+)"/m.exec(fs.readFileSync("wrangler.toml", "utf8")) ?? [];

/**
 * Types the code of a page: below this heading, beginning with these words, with these values in place
 * of its placeholders. Resolves to what it prints.
 */
type Type = (heading: string, start: string, values?: Record<string, string>) => Promise<string>;

export interface Operator {
	/** The home, which has the project in `clone`. */
	home: string;
	account: cloudflare.Account;
	/** Rejects if the code fails. */
	type: Type;
	/** Rejects if the code does not fail. */
	typeInVain: Type;
	/** Runs other commands in the same terminal. Rejects if they fail. Resolves to what they print. */
	run: (commands: string) => Promise<string>;
}

/** PATH without this project's commands: a clone has its own, once `npm ci` has been typed there. */
const path = `${process.env["PATH"]}`.replaceAll(/[^:]*\/node_modules\/\.bin:/g, "");
/** Programs in the home, in place of those that `real` there has links to. */
const programs = {
	/** Installs by links, and neither checks nor tests anything. */
	npm: `#!/bin/sh
case "$*" in
"ci" | "ci --ignore-scripts")
	# What an intruder has planted runs, as a package of theirs would.
	[ ! -e planted.sh ] || sh planted.sh
	rm -rf node_modules && mkdir node_modules
	ln -s "$HOME"/packages/* "$HOME/packages/.bin" node_modules
	echo added packages
	;;
"run check" | "run test:code") ;;
*) exec "$HOME/real/npm" "$@" ;;
esac
`,
	/** Starts an installed command, such as Wrangler, without the slow start of npm. */
	npx: `#!/bin/sh
[ ! -e "node_modules/.bin/$1" ] || exec "node_modules/.bin/$@"
exec "$HOME/real/npx" "$@"
`,
};
const baseUrl = await cloudflare.startCloudflare();

/** Opens a terminal: a bash that keeps its folder and its variables from one command to the next. */
function openTerminal(home: string) {
	const env = {
		...plainEnvironment(home),
		PATH: `${join(home, "bin")}:${path}`,
		CLOUDFLARE_API_BASE_URL: baseUrl,
		WRANGLER_LOG: "log",
		npm_config_offline: "true",
		npm_config_loglevel: "error",
	};
	const bash = spawn("bash", { cwd: home, env, stdio: ["pipe", "pipe", "ignore"] });
	const lines = createInterface(bash.stdout)[Symbol.asyncIterator]();
	async function run(commands: string): Promise<string> {
		const quoted = `'${commands.replaceAll("'", String.raw`'\''`)}'`;
		bash.stdin.write(`eval ${quoted} </dev/null 2>&1; printf '\\n[status %s]\\n' $?\n`);
		let output = "";
		let line = "";
		while (!line.startsWith("[status")) {
			output += `${line}\n`;
			const next = await lines.next();
			line = next.done ? "[status: bash has ended]" : next.value;
		}
		if (line === "[status 0]") return output.trim();
		throw new Error(`${commands}\nfails with ${line}, and prints:\n${output}`);
	}
	return { run, close: () => bash.kill() };
}

/** Puts the project into a new home, as one commit in `clone`. Opens a terminal there. */
async function moveIn() {
	const home = fs.mkdtempSync(join(tmpdir(), "home-"));
	fs.mkdirSync(join(home, "bin"));
	fs.mkdirSync(join(home, "real"));
	for (const [name, text] of Object.entries(programs)) {
		fs.writeFileSync(join(home, "bin", name), text, { mode: 0o700 });
		const options = { env: { PATH: path }, encoding: "utf8" } as const;
		const found = execFileSync("sh", ["-c", `command -v ${name}`], options).trim();
		fs.symlinkSync(found, join(home, "real", name));
	}
	fs.symlinkSync(process.execPath, join(home, "bin/node"));
	fs.symlinkSync(resolve("node_modules"), join(home, "packages"));
	const clone = join(home, "clone");
	fs.renameSync(copyProject(), clone);
	resetSettings(join(clone, "wrangler.toml"));
	const { run, close } = openTerminal(home);
	await run("cd clone && npm ci && git init -qb main && git add . && git commit -qm First");
	return { home, run, close };
}

/** What the scenes need of wrangler.toml. A deploy of more would call what the small Cloudflare lacks. */
const neededKeys = /^(#|(name|main|compatibility_\w+|keep_names|preview_urls|workers_dev) =)/;
const neededTables = /^\[(assets|build|dev|observability|env|secrets)\]|^binding = "PLANTS"/m;

/** Makes wrangler.toml as it is before the first deploy, without what an owner may have added. */
function resetSettings(file: string) {
	const toml = fs
		.readFileSync(file, "utf8")
		.replace(/^\[env\.staging\]\n(?:.+\n)+/m, (lines) => lines.replaceAll(/^(?=.)/gm, "# "))
		.replaceAll(/^(account_id|id) = /gm, "# $1 = ")
		.replace(/^workers_dev = false$/m, "workers_dev = true");
	const [keys = "", ...tables] = toml.split(/^(?=\[)/m);
	const needed = [
		...keys.split(/^(?=[\w#])/m).filter((key) => neededKeys.test(key)),
		...tables.filter((table) => neededTables.test(table)),
	];
	fs.writeFileSync(file, needed.join(""));
}

/**
 * Returns a function that defines a test, in which an operator with an empty account types commands of
 * this page. If it fails, its message has all that was typed until then.
 */
export function scenesOf(page: string) {
	return (name: string, play: (operator: Operator) => Promise<void>) =>
		it(name, { timeout: 1_800_000 }, async () => {
			const account = cloudflare.openAccount();
			const { home, run, close } = await moveIn();
			const notes: string[] = [];
			const type: Type = (heading, start, values = {}) => {
				const code = findCode(page, heading, start);
				const command = fill(code, values);
				account.unknownRequests = [];
				notes.push(`Typed: ${code.place}: ${command}`);
				return run(command);
			};
			const typeInVain: Type = (...code) =>
				type(...code).then(
					(output) => Promise.reject(new Error(`This should fail, but prints:\n${output}`)),
					({ message }: Error) => message,
				);
			try {
				await play({ home, account, type, typeInVain, run });
			} catch (exception) {
				if (!(exception instanceof Error)) throw exception;
				notes.push(...account.unknownRequests.map((request) => `No route: ${request}`));
				exception.message += `\n${notes.join("\n")}`;
				throw exception;
			} finally {
				close();
			}
		});
}

/** Changes a file, as in an editor. Throws if it lacks what the page speaks of. */
export function edit(file: string, before: RegExp, after: string) {
	const text = fs.readFileSync(file, "utf8");
	const hint = "The page speaks of it: restore it, or change the page and its scene.";
	if (!before.test(text)) throw new Error(`${file} has no ${before}. ${hint}`);
	fs.writeFileSync(file, text.replace(before, after));
}

/** Returns the id of a namespace, which Wrangler has printed. */
export const idIn = (output: string) => /\b[0-9a-f]{32}\b/.exec(output)?.[0] ?? "";

/** Gives Wrangler access to the account, in a clone. */
export function writeEnv(clone: string, { apiToken }: cloudflare.Account) {
	const line = findCode("docs/operating.md", "The account", "CLOUDFLARE_API_TOKEN=");
	fs.writeFileSync(join(clone, ".env"), fill(line, { "<api-token>": apiToken }));
}

/** Writes the ids of the account and of the namespace into wrangler.toml. */
export function writeIds(clone: string, { id }: cloudflare.Account, namespace: string) {
	edit(join(clone, "wrangler.toml"), /^# account_id = .+/m, `account_id = "${id}"`);
	edit(join(clone, "wrangler.toml"), /^# id = .+/m, `id = "${namespace}"`);
}

/**
 * Sets up what the operator has: an origin, a live Worker with two tokens, three plants, a backup of
 * them, and a clone for the monitor in `~/monitor`.
 */
export async function startService(operator: Operator) {
	const { home, account, run } = operator;
	const { id: namespace, plants } = cloudflare.createNamespace(account, `${workerName}-plants`);
	for (const id of ["1", "2", "30"]) plants.set(id, `{"id":${id},"name":"Rose"}`);
	writeIds(join(home, "clone"), account, namespace);
	// Who clones origin without -b main gets nothing.
	await run(`git commit -qam Ids && git clone -q --bare . ../origin.git &&
		git -C ../origin.git symbolic-ref HEAD refs/heads/none &&
		git remote add origin ../origin.git && git fetch -q && git branch -q -u origin/main &&
		git clone -q -b main ../origin.git ../monitor && (cd ../monitor && npm ci)`);
	for (const clone of ["clone", "monitor"]) writeEnv(join(home, clone), account);
	const lines = [...plants].map(([key, value]) => JSON.stringify({ key, value }));
	const backup = join(home, "plant-backups/nightly.json");
	fs.mkdirSync(join(home, "plant-backups"));
	fs.writeFileSync(backup, `[\n${lines.join("\n,\n")}\n]\n`);
	const commit = await run("git rev-parse HEAD");
	const secrets = new Map([
		["ACCESS_TOKEN", "own"],
		["ACCESS_TOKEN_SHOP", "shop"],
	]);
	const worker = new cloudflare.Worker();
	account.workers.set(workerName, worker);
	const version = cloudflare.upload(worker, { namespace, secrets, message: commit });
	cloudflare.deploy(worker, version);
	return { ...operator, worker, namespace, plants, backup, commit };
}
