// The commands of Incidents, typed as they stand, from the trouble to its end.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNamespace, deploy, upload } from "./cloudflare.ts";
import { edit, type Operator, scenesOf, startService, workerName, writeEnv } from "./operator.ts";
import { fill, findCode, unguardedCommands, untypedCommands, untypedHint } from "./pages.ts";

const page = "docs/incidents.md";
const scene = scenesOf(page);
const find = (heading: string, start: string) => findCode(page, heading, start);
const good = "Deploy the last good commit";
const bad = "A bad deploy";
const intruder = "An intruder, or a leaked API token or login";
const plantsAreWrong = "Plants are missing or wrong";
const namespaceIsGone = "The namespace is gone";
const workerIsGone = "The Worker is gone";
const restoreSome = "npm run restore -- <file> --remote --id=<id>";

/** Follows the page's beginning: a new clone, with access to the account. Returns its folder. */
async function begin({ home, type, run }: Operator) {
	await type("Incidents", "cd ", { "<repository>": join(home, "origin.git") });
	await type("Incidents", "cp <clone>", { "<clone>": join(home, "clone") });
	return run("pwd");
}

/** A colleague adds code to a file, and merges it into main. Returns the commit. */
const push = ({ run }: Operator, code: string, file = "src/index.ts") =>
	run(`(cd ~/clone && git switch -qC topic main && echo 'console.log("${code}")' >> ${file} &&
		git commit -qam '${code}' && git switch -q main && git merge -q --no-ff --no-edit topic &&
		git push -q && git rev-parse HEAD)`);

const [, table = ""] = readFileSync(page, "utf8").split("## Error messages");
const cells = [...table.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = ""]) => cell);
const messages = cells.flatMap((cell) => cell.match(/(?<=`)\w[^`]+/g) ?? []);
const met = new Set<string>();
/** Expects a message of the table in what a command has printed, and none that comes before it there. */
function expectMessage(output: string, start: string) {
	const first = messages.find((text) => new RegExp(text.replace("…", ".+")).test(output));
	const { text } = find("Error messages", start);
	expect(first, output).toBe(text);
	met.add(text);
}

/** Returns what `wrangler deployments list` has printed, in entries. */
const entriesOf = (list: string) => list.split("\n\n").filter((entry) => /^Created/m.test(entry));

/** Returns the first word after these, without brackets. */
const wordAfter = (output: string, words: string) =>
	/[\w-]+/.exec(output.split(words)[1] ?? "")?.[0] ?? "";

describe.concurrent("Incidents leads out of", () => {
	scene("a bad deploy", async (operator) => {
		const { type, run, worker, commit } = await startService(operator);
		const badCommit = await push(operator, "bad code");
		deploy(worker, upload(worker, { message: badCommit }));
		await run("export CLOUDFLARE_ENV=staging");
		await begin(operator);
		await type("Incidents", "unset");
		const list = await type(good, "npx wrangler deployments list");
		const commits = entriesOf(list).map((entry) => entry.split(/\s+/).at(-1));
		expect(commits.slice(-2)).toEqual([commit, badCommit]);
		await run("rm -rf node_modules");
		await type(good, "git checkout", { "<commit>": commit });
		expect(await run("ls")).toContain("node_modules");
		expect(worker.live.message).toBe(commit);
		expect(worker.live.bundle).not.toContain("bad code");
		expect(await type(bad, "git log origin/main")).toContain(badCommit);
		await push(operator, "later work");
		await type(bad, "git fetch", { "<commit>": commit });
		expect(await run(`git -C ~/origin.git diff ${commit} main`)).toBe("");
		// From a merge in another night, which GitHub has squashed.
		await run("git push -q origin $(git commit-tree -m Night HEAD^{tree}):refs/heads/night");
		await type("Incidents", "git push -f");
		expect(await run("git -C ~/origin.git diff main night")).toBe("");
		const commitIds = { "<commit>": commit, "<bad-commit>": badCommit };
		expect(await type(bad, "git diff", commitIds)).toBe("");
		await run("cd ~/monitor");
		expect(await type(bad, "git pull")).toContain("added packages");
		expect(await run(`git diff ${commit}`)).toBe("");
	});

	scene("a bad deploy, but keeps later work", async (operator) => {
		const { type, run, worker } = await startService(operator);
		const badCommit = await push(operator, "bad code");
		await push(operator, "later work", "src/plant.ts");
		await begin(operator);
		const block = find(bad, "git fetch");
		const [, secondLine = ""] = block.text.split("\n");
		const revert = fill(find(bad, "git revert"), { "<bad-commit>": badCommit });
		expect(revert).toMatch(/ &&$/);
		await type(bad, "git fetch", { [secondLine]: revert });
		await type(bad, "npm run deploy");
		expect(worker.live.message).toBe(await run("git -C ~/origin.git rev-parse main"));
		expect(worker.live.bundle).toContain("later work");
		expect(worker.live.bundle).not.toContain("bad code");
	});

	scene("a bad deploy of a commit in no branch, as the one before", async (operator) => {
		const { type, typeInVain, run, worker, commit } = await startService(operator);
		await begin(operator);
		await typeInVain(good, "git log -1", { "<commit>": "a".repeat(40) });
		expect(await type(good, "git log")).toContain(commit);
		expect(await type(good, "git log -1", { "<commit>": commit })).toContain(commit);
		await type(good, "git checkout", { "<commit>": commit });
		expect(worker.live.message).toBe(commit);
		await push(operator, "later work");
		await run("cd ~/monitor && git fetch -q && git checkout -q HEAD^");
		expect(await type("Incidents", "git checkout origin/main")).toContain("added packages");
		expect(await run("git log")).toContain("later work");
	});

	scene("a rollback, after which a deleted token is accepted", async (operator) => {
		const { type, typeInVain, run, worker, commit } = await startService(operator);
		const { id } = worker.live;
		deploy(worker, upload(worker, { secrets: new Map([["ACCESS_TOKEN", "own"]]) }));
		await run(`npx wrangler rollback ${id}`);
		expect([...worker.live.secrets.keys()]).toContain("ACCESS_TOKEN_SHOP");
		await begin(operator);
		const names = { "<NAMES>": "ACCESS_TOKEN" };
		expectMessage(await typeInVain("New tokens", "for name in", names), "Secret edit failed");
		const entries = entriesOf(await type(good, "npx wrangler deployments list"));
		const line = new RegExp(`${find(good, "Message").text}: +(.+)`, "g");
		const rollbacks = entries.filter((entry) => {
			const [first, second] = [...entry.matchAll(line)].map(([, message]) => message);
			return first !== second;
		});
		expect(rollbacks).toEqual(entries.slice(-1));
		await type(good, "git checkout", { "<commit>": commit });
		expect([...worker.newest.secrets]).toEqual([["ACCESS_TOKEN", "own"]]);
	});

	scene("a deleted Worker, while main is ahead of what was live", async (operator) => {
		const { type, typeInVain, run, account, worker, namespace, commit } =
			await startService(operator);
		await push(operator, "unfinished");
		account.workers.delete(workerName);
		const night = await begin(operator);
		const noResponse = "No response, or an error page of Cloudflare";
		const status = await typeInVain(noResponse, "npx wrangler deployments status");
		expectMessage(status, "Worker does not exist");
		expectMessage(await typeInVain("New tokens", "npx wrangler secret list"), "Worker …");
		const names = [...worker.live.secrets.keys()].join(" ");
		const printed = await type("New tokens", "for name in", { "<NAMES>": names });
		const secrets = account.workers.get(workerName)?.live.secrets ?? [];
		const lines = [...secrets].map((secret) => secret.join(" "));
		expect(lines).toHaveLength(2);
		expect(lines).toEqual(printed.match(/^ACCESS_TOKEN.+/gm));
		await run("cd ~/monitor");
		expect(await type(workerIsGone, "git log -1")).toContain(commit);
		await run(`cd ${night}`);
		await type(workerIsGone, "git checkout", { "<commit>": commit });
		await type(workerIsGone, "npm run deploy:untested");
		const live = account.workers.get(workerName)?.live;
		expect(live).toMatchObject({ message: commit, namespace, secrets });
	});

	scene("a deleted namespace, after a bad deploy, while main has another id", async (operator) => {
		const { home, type, typeInVain, run, account, worker, namespace, commit } =
			await startService(operator);
		await run("git config --global merge.ff only && git config --global pull.rebase true");
		const badCommit = await push(operator, "bad code");
		deploy(worker, upload(worker, { message: badCommit }));
		account.namespaces.delete(namespace);
		edit(join(home, "clone/wrangler.toml"), new RegExp(namespace), "another-id");
		await push(operator, "later work", "src/plant.ts");
		const night = await begin(operator);
		const refused = await typeInVain(good, "git checkout", { "<commit>": commit });
		expectMessage(refused, "namespace …");
		const { id, plants } = createNamespace(account, `${workerName}-plants`);
		await type(namespaceIsGone, "git checkout", { "<commit>": commit });
		edit(join(night, "wrangler.toml"), new RegExp(namespace), id);
		await type(namespaceIsGone, "git commit");
		await typeInVain(namespaceIsGone, "npm ci");
		expect(worker.live.namespace, "although the push is rejected").toBe(id);
		expect(worker.live.bundle).not.toContain("bad code");
		await type(namespaceIsGone, "git pull --no-rebase");
		expect(await run("git show origin/main:src/plant.ts")).toContain("later work");
		await run("cd ~/monitor");
		expect(await type(namespaceIsGone, "git pull && npm ci")).toContain("added packages");
		expect(await run("cat wrangler.toml")).toContain(id);
		await run(`cd ${night}`);
		await type(bad, "git fetch", { "<commit>": `${worker.live.message}` });
		await run("cd ~/monitor && git pull -q");
		plants.set("5", "sent since");
		expect(await run("npm run backup -- --remote")).toMatch(/-1-plants\.json$/);
		// After the next bad deploy, a new clone has what is live now.
		await run(`git -C ~/origin.git merge-base --is-ancestor ${worker.live.message} main`);
	});

	scene("an intruder, who has pushed, and deleted the namespace", async (operator) => {
		const { home, type, typeInVain, run, account, worker, namespace, commit } =
			await startService(operator);
		// Whatever is installed, built or run from the intruder's commit leaves a file behind.
		await run(`cd ~/clone && echo 'touch ~/ran' > planted.sh && git add planted.sh`);
		edit(join(home, "clone/wrangler.toml"), /node scripts\/build\.ts/, "sh planted.sh");
		edit(join(home, "clone/package.json"), /exec node scripts\/deploy\.ts HEAD/, "sh planted.sh");
		await push(operator, "evil code");
		const secrets = new Map([...worker.live.secrets, ["ACCESS_TOKEN_EVIL", "evil"]]);
		deploy(worker, upload(worker, { secrets }));
		account.namespaces.delete(namespace);
		account.rolledToken = account.apiToken;
		account.apiToken = "renewed";

		const repository = join(home, "origin.git");
		await type("Incidents", "cd ", {
			"<repository>": repository,
			" && npm ci --ignore-scripts": "",
		});
		const night = await run("pwd");
		writeEnv(night, account);
		await type(intruder, "git fetch origin");
		expect(await type(intruder, "git log origin/main")).toContain("evil code");
		const refused = await typeInVain(intruder, "git switch --detach", { "<commit>": commit });
		expectMessage(refused, "namespace …");
		const title = find(namespaceIsGone, `${workerName}-plants`).text;
		expect(await type(namespaceIsGone, "npx wrangler kv namespace list")).toBe("[]");
		await type(namespaceIsGone, "npx wrangler kv namespace create");
		const [id = ""] = account.namespaces.keys();
		expect(account.namespaces.get(id)?.title).toBe(title);
		edit(join(night, "wrangler.toml"), new RegExp(namespace), id);
		await type(namespaceIsGone, "git commit");
		const deployed = await type(namespaceIsGone, "npm ci", { " && git push origin HEAD:main": "" });
		expect(deployed).toContain(find(intruder, "Current Version ID").text);
		await type(intruder, "git push origin HEAD:main");
		// Once more, as for a second environment: main has nothing new.
		await type(intruder, "git switch --detach", { "<commit>": await run("git rev-parse HEAD") });

		expect(await type(intruder, "npx wrangler secret list")).toContain("ACCESS_TOKEN_EVIL");
		await type(intruder, "npx wrangler secret delete", { "<name>": "ACCESS_TOKEN_EVIL" });
		const names = { "<NAMES>": "ACCESS_TOKEN ACCESS_TOKEN_SHOP" };
		const printed = await type("New tokens", "for name in", names);
		const lines = [...worker.live.secrets].map((secret) => secret.join(" "));
		expect(lines).toEqual(printed.match(/^ACCESS_TOKEN.+/gm));
		await run("git -C ~/clone switch -q topic");
		for (const other of ["monitor", "clone"]) {
			await run(`cd ~/${other}`);
			const pulled = await type(intruder, "git switch main && git pull");
			expect(pulled).toContain("added packages");
			expect(await run(`git diff --name-only ${commit}`)).toBe("wrangler.toml");
		}
		expect(worker.live.namespace).toBe(id);
		expect(worker.live.bundle).not.toContain("evil code");
		expect(existsSync(join(home, "ran")), "whether the intruder's program has run").toBe(false);
	});

	scene("plants that are missing, wrong, or too many", async (operator) => {
		const { home, type, typeInVain, run, namespace, plants, backup } = await startService(operator);
		const before = new Map(plants);
		plants.delete("1");
		plants.set("2", "overwritten");
		plants.set("9", "too many");
		edit(join(home, "clone/wrangler.toml"), new RegExp(namespace), "another-id");
		await push(operator, "unfinished");
		const night = await begin(operator);
		const list = await type(plantsAreWrong, "npx wrangler kv namespace list");
		const title = find(plantsAreWrong, `${workerName}-plants`).text;
		expect(JSON.parse(list)).toMatchObject([{ id: namespace, title }]);
		edit(join(night, "wrangler.toml"), /another-id/, namespace);
		await type(plantsAreWrong, "git commit");
		await run("cd ~/monitor");
		expect(await type(plantsAreWrong, "git pull")).toContain("added packages");
		expect(await run("cat wrangler.toml")).toContain(namespace);
		await run(`cd ${night}`);
		await type(plantsAreWrong, "new=");
		const saved = await type(plantsAreWrong, "grep", { "<id>": "2" });
		expect(saved.split("\n")).toHaveLength(2);
		const file = { "<file>": backup };
		const differences = await typeInVain(plantsAreWrong, "diff", file);
		const keys = differences.match(/^[<>] {"key":"\d+"/gm)?.join("");
		expect(keys).toBe('< {"key":"1"< {"key":"2"> {"key":"2"> {"key":"9"');
		await type(plantsAreWrong, "npm run restore -- <file> --remote", file);
		expect([...plants.keys()].toSorted()).toEqual(["1", "2", "30", "9"]);
		expect(plants.get("2")).toBe("overwritten");
		await type(plantsAreWrong, restoreSome, { ...file, "<id>": "2" });
		expect(plants.get("2")).toBe(before.get("2"));
		plants.set("1", "overwritten");
		const replaceAll = "npm run restore -- <file> --remote --replace";
		const replaced = await type(plantsAreWrong, replaceAll, file);
		expect(replaced, "only what differs").toContain("Plants written: 1.");
		await type(plantsAreWrong, "npx wrangler kv key delete", { "<id>": "9" });
		expect(plants).toEqual(before);
	});

	scene("a deploy with another namespace, to which plants went", async (operator) => {
		const { home, type, account, worker, namespace, plants, commit } = await startService(operator);
		const { id: other, plants: elsewhere } = createNamespace(account, "other");
		elsewhere.set("5", "went elsewhere");
		edit(join(home, "clone/wrangler.toml"), new RegExp(namespace), other);
		const badCommit = await push(operator, "bad code");
		deploy(worker, upload(worker, { message: badCommit, namespace: other }));
		const night = await begin(operator);
		const status = await type(plantsAreWrong, "npx wrangler deployments status");
		const id = wordAfter(status, find(plantsAreWrong, "(100%)").text);
		const version = await type(plantsAreWrong, "npx wrangler versions view", {
			"<version-id>": id,
		});
		expect(wordAfter(version, find(plantsAreWrong, "env.PLANTS").text)).toBe(other);
		await type(good, "git checkout", { "<commit>": commit });
		await type(bad, "git fetch", { "<commit>": commit });
		const commits = { "<commit>": commit, "<bad-commit>": badCommit };
		expect(await type(bad, "git diff", commits)).toContain(other);
		edit(join(night, "wrangler.toml"), new RegExp(namespace), other);
		await type(plantsAreWrong, "there=");
		await type(plantsAreWrong, "git restore");
		await type(plantsAreWrong, restoreSome, { "<file>": '"$there"', "<id>": "5" });
		expect(plants.get("5")).toBe("went elsewhere");
		expect(worker.live.namespace).toBe(namespace);
	});

	scene("the other messages of the table", async (operator) => {
		const { type, run, account, worker, plants } = await startService(operator);
		await begin(operator);
		const runInVain = (command: string) => run(`! { ${command}; }`);
		await run("rm -rf node_modules");
		const backup = "npm run backup -- --remote";
		// As with a Node that can't run TypeScript.
		const withOldNode = `NODE_OPTIONS=--no-experimental-strip-types ${backup}`;
		expectMessage(await runInVain(withOldNode), "ERR_UNKNOWN_FILE_EXTENSION");
		expectMessage(await runInVain("npm run restore"), "ERR_MODULE_NOT_FOUND");
		expectMessage(await runInVain(backup), "spawn wrangler");
		await type("Error messages", "npm ci");
		plants.set("up", "of an intruder");
		expectMessage(await run(backup), "these keys");
		plants.clear();
		expectMessage(await runInVain(backup), "KV has no plants");
		worker.newest.secrets.delete("ACCESS_TOKEN");
		expectMessage(await runInVain("npm run deploy:untested"), "required secrets");
		await run("export CLOUDFLARE_API_TOKEN=of-another-service CLOUDFLARE_API_KEY=another");
		const list = "npx wrangler kv namespace list";
		expectMessage(await runInVain(list), "Authentication error");
		await type("Error messages", "unset");
		expect(await run('echo "$CLOUDFLARE_API_TOKEN$CLOUDFLARE_API_KEY"')).toBe("");
		await run(list);
		account.rolledToken = account.apiToken;
		expectMessage(await runInVain(list), "Invalid access token");
		await run("rm .env");
		expectMessage(await runInVain(list), "set a CLOUDFLARE_API_TOKEN");
		// The port is taken, so that Wrangler doesn't wait for a browser.
		const { port } = new URL(await run('echo "$CLOUDFLARE_API_BASE_URL"'));
		expectMessage(
			await runInVain(`npx wrangler login --callback-port ${port}`),
			"Attempting to login",
		);
	});
});

it("has met every message of the table", () => {
	expect([...met].toSorted(), page).toEqual(messages.toSorted());
});

it("has typed all but these", () => {
	const second = findCode("docs/operating.md", "A second environment", "export");
	expect(fill(find("Incidents", "export"), {}), page).toBe(second.text);
	for (const name of ["staging-plants", "plants"]) find("Incidents", `${workerName}-${name}`);
	expect(unguardedCommands(page)).toEqual([]);
	expect(untypedCommands(page), `${page}: ${untypedHint}`).toEqual([
		// Only parts of commands.
		"&& npm ci --ignore-scripts",
		"git revert",
		"git pull",
		// The live service writes the log.
		"npx wrangler tail --search ACCESS_TOKEN_",
		"npx wrangler tail --search '\"error\":50'",
		"npx wrangler tail --search '\"error\":415'",
		// Only parts of commands.
		"git checkout",
		"git push",
		// There is no other machine.
		"scp -r <machine>:plant-backups ~",
		// Needs a browser.
		"npx wrangler login",
	]);
});
