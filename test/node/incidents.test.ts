// The commands of Incidents, typed as they stand, from the trouble to its end.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNamespace, deploy, upload, type Worker } from "../support/cloudflare.ts";
import { edit, type Operator, scene, startService, writeEnv } from "../support/operator.ts";
import { fill, findCode, untypedCommands } from "../support/pages.ts";

const find = (heading: string, start: string, index?: number) =>
	findCode("docs/incidents.md", heading, start, index);

/** Follows the page's beginning: a new clone, with access to the account. */
async function begin({ home, type }: Operator) {
	const repository = { "<repository>": join(home, "origin.git") };
	await type(find("Incidents", "cd "), repository);
	await type(find("Incidents", "cp <clone>"), { "<clone>": join(home, "clone") });
}

/** A colleague adds code to a file, and pushes it to main. Returns the commit. */
async function push({ run }: Operator, code: string, file = "src/index.ts") {
	const commands = `cd ~/clone && echo 'console.log("${code}")' >> ${file} && git commit -qam '${code}'`;
	await run(`(${commands} && git push -q origin HEAD:main)`);
	return (await run("git -C ~/clone rev-parse HEAD")).trim();
}

/** A colleague deploys a commit. */
function deployCommit(worker: Worker, message: string, changes: { namespace?: string } = {}) {
	deploy(worker, upload(worker, { code: "a colleague's", message, ...changes }), message);
}

/** Returns what a command prints, in the bare repository at origin. */
const atOrigin = async ({ run }: Operator, command: string) =>
	(await run(`git -C ~/origin.git ${command}`)).trim();

const messages = new Set<string>();
/** Expects a message of the table in what a command has printed. */
function expectMessage(output: string, start: string) {
	const { text } = find("Error messages", start);
	messages.add(text);
	expect(output).toMatch(new RegExp(text.replace("…", ".+")));
}

/** Types a command that fails. Resolves to what it prints. */
const typeInVain = (typing: Promise<string>) =>
	typing.then(
		(output) => Promise.reject(new Error(`It should fail, but prints:\n${output}`)),
		({ message }: Error) => message,
	);

/** Returns the entries of `wrangler deployments list`, the newest last. */
const entriesOf = (list: string) =>
	list
		.trim()
		.split("\n\n")
		.filter((entry) => entry.includes("Created:"));

const good = "Deploy the last good commit";
const plantsAreWrong = "Plants are missing or wrong";

describe.concurrent("Incidents leads out of", () => {
	scene("a bad deploy", async (operator) => {
		const { type, run } = operator;
		const { worker, commit } = await startService(operator);
		const bad = await push(operator, "bad code");
		deployCommit(worker, bad);
		await begin(operator);
		const list = await type(find(good, "npx wrangler deployments list"));
		const commits = entriesOf(list).map((entry) => entry.split(/\s+/).at(-1));
		expect(commits).toEqual([commit, bad]);
		await type(find(good, "git checkout"), { "<commit>": commit });
		expect(worker.live.message).toBe(commit);
		expect(worker.live.code).not.toContain("bad code");
		expect(await type(find("A bad deploy", "git log origin/main"))).toContain(bad);
		await type(find("A bad deploy", "git fetch"), { "<commit>": commit });
		expect(await atOrigin(operator, `diff ${commit} main`)).toBe("");
		await type(find("Incidents", "git push origin HEAD:refs/heads/night"));
		expect(await atOrigin(operator, "rev-parse night")).toBe(
			await atOrigin(operator, "rev-parse main"),
		);
		const ids = { "<commit>": commit, "<bad-commit>": bad };
		expect(await type(find("A bad deploy", "git diff"), ids)).toBe("");
		await run("cd ~/monitor");
		await type(find("A bad deploy", "git pull"));
		expect((await run("git rev-parse HEAD")).trim()).toBe(
			await atOrigin(operator, "rev-parse main"),
		);
	});

	scene("a bad deploy with later work, which stays", async (operator) => {
		const { type } = operator;
		const { worker } = await startService(operator);
		const bad = await push(operator, "bad code");
		deployCommit(worker, bad);
		deployCommit(worker, await push(operator, "later work", "src/plant.ts"));
		await begin(operator);
		const block = find("A bad deploy", "git fetch");
		const [, secondLine = ""] = block.text.split("\n");
		const revert = fill(find("A bad deploy", "git revert"), { "<bad-commit>": bad });
		await type(block, { [secondLine]: revert });
		await type(find("A bad deploy", "npm run deploy"));
		expect(worker.live.message).toBe(await atOrigin(operator, "rev-parse main"));
		expect(worker.live.code).toContain("later work");
		expect(worker.live.code).not.toContain("bad code");
	});

	scene("a bad deploy that is in no branch, as the one before it", async (operator) => {
		const { home, type, run } = operator;
		const { worker, commit } = await startService(operator);
		const unpushed = "0123456789012345678901234567890123456789";
		deployCommit(worker, unpushed);
		await begin(operator);
		const checkout = find(good, "git checkout");
		const output = await typeInVain(type(checkout, { "<commit>": unpushed }));
		expect(output).toContain(find(good, "reference is not a tree").text);
		expect(await type(find(good, "git log"))).toContain(commit);
		await type(checkout, { "<commit>": commit });
		expect(worker.live.message).toBe(commit);
		await run(`cd '${home}/monitor'`);
		await type(find("Incidents", "git checkout origin/main"));
		expect((await run("git rev-parse HEAD")).trim()).toBe(commit);
	});

	scene("a rollback, after which a deleted token is accepted", async (operator) => {
		const { type, run } = operator;
		const { worker, commit } = await startService(operator);
		const { id } = worker.live;
		deploy(
			worker,
			upload(worker, { message: undefined, secrets: new Map([["ACCESS_TOKEN", "own"]]) }),
			undefined,
		);
		await run(`npx wrangler rollback ${id}`);
		expect([...worker.live.secrets.keys()]).toContain("ACCESS_TOKEN_SHOP");
		await begin(operator);
		const newToken = find("New tokens", "for name in");
		const names = { "<NAMES>": "ACCESS_TOKEN" };
		expectMessage(await typeInVain(type(newToken, names)), "Secret edit failed");
		const list = await type(find(good, "npx wrangler deployments list"));
		const word = find(good, "Message").text;
		const rollbacks = entriesOf(list).filter((entry) => {
			const [first, second, ...others] = entry.matchAll(new RegExp(`${word}: +(.+)`, "g"));
			return first?.[1] !== second?.[1] && others.length === 0;
		});
		expect(rollbacks).toEqual(entriesOf(list).slice(-1));
		await type(find(good, "git checkout"), { "<commit>": commit });
		const [name, token] = (await type(newToken, names)).trim().split("\n").at(-1)?.split(" ") ?? [];
		expect([...worker.live.secrets]).toEqual([[name, token]]);
	});

	scene("a deleted Worker, while main is ahead of what was live", async (operator) => {
		const { home, account, type, run } = operator;
		const { worker, namespace, commit } = await startService(operator);
		await push(operator, "unfinished");
		account.workers.delete("plant-store");
		await begin(operator);
		const status = find(
			"No response, or an error page of Cloudflare",
			"npx wrangler deployments status",
		);
		expectMessage(await typeInVain(type(status)), "Worker does not exist");
		expectMessage(
			await typeInVain(type(find("New tokens", "npx wrangler secret list"))),
			"Worker …",
		);
		const names = [...worker.live.secrets.keys()];
		const printed = await type(find("New tokens", "for name in"), { "<NAMES>": names.join(" ") });
		const night = (await run("pwd")).trim();
		await run("cd ~/monitor");
		expect(await type(find("The Worker is gone", "git log -1"))).toContain(commit);
		await run(`cd ${night}`);
		await type(find("The Worker is gone", "git checkout"), { "<commit>": commit });
		await type(find("The Worker is gone", "npm run deploy:untested"));
		const live = account.workers.get("plant-store")?.live;
		expect(live).toMatchObject({ message: commit, namespace });
		const tokens = [...(live?.secrets ?? [])];
		expect(tokens.map(([name]) => name)).toEqual(names);
		for (const [name, token] of tokens) expect(printed).toContain(`\n${name} ${token}\n`);
		expect(existsSync(join(home, "monitor/node_modules"))).toBe(true);
	});

	scene("a deleted namespace, while main is ahead of what is live", async (operator) => {
		const { account, type, run } = operator;
		const { worker, namespace, commit } = await startService(operator);
		await push(operator, "unfinished");
		account.namespaces.delete(namespace);
		await begin(operator);
		const title = find("The namespace is gone", "plant-store-plants").text;
		const id = createNamespace(account, title);
		await type(find("The namespace is gone", "git checkout"), { "<commit>": commit });
		edit(`${(await run("pwd")).trim()}/wrangler.toml`, new RegExp(namespace), id);
		await type(find("The namespace is gone", "git commit"));
		const deployed = await typeInVain(type(find("The namespace is gone", "npm ci")));
		expect(deployed).toContain("[rejected]");
		await type(find("The namespace is gone", "git pull --no-rebase"));
		await run("cd ~/monitor");
		await type(find("The namespace is gone", "git pull && npm ci"));
		expect(worker.live.namespace).toBe(id);
		expect(worker.live.code).not.toContain("unfinished");
		// After the next bad deploy, a new clone has the commit that is live now.
		await begin(operator);
		await run(`git checkout -q ${worker.live.message} && grep ${id} wrangler.toml`);
		expect(await atOrigin(operator, "show main:src/index.ts")).toContain("unfinished");
	});

	scene("an intruder, who has pushed, and has deleted the namespace", async (operator) => {
		const { home, account, type, run } = operator;
		const { worker, namespace, commit } = await startService(operator);
		// Whatever of the intruder's is installed, built or run leaves a file behind.
		await run(`cd ~/clone && echo 'touch ~/ran' > planted.sh && git add planted.sh`);
		edit(join(home, "clone/wrangler.toml"), /node scripts\/build\.ts/, "sh planted.sh");
		edit(join(home, "clone/package.json"), /exec node scripts\/deploy\.ts HEAD/, "sh planted.sh");
		const evil = await push(operator, "evil code");
		deployCommit(worker, evil);
		worker.newest.secrets = new Map([...worker.newest.secrets, ["ACCESS_TOKEN_EVIL", "evil"]]);
		account.namespaces.delete(namespace);
		account.rolledTokens.push(account.apiToken);
		account.apiToken = "rolled";

		const intruder = "An intruder, or a leaked API token or login";
		const clone = find("Incidents", "cd ");
		const repository = join(home, "origin.git");
		await type(clone, { "<repository>": repository, " && npm ci --ignore-scripts": "" });
		const night = (await run("pwd")).trim();
		writeEnv(night, account);
		await type(find(intruder, "git fetch origin"));
		expect(await type(find(intruder, "git log origin/main"))).toContain("evil code");
		const values = { "<commit>": commit };
		expectMessage(
			await typeInVain(type(find(intruder, "git switch --detach"), values)),
			"namespace …",
		);
		const { namespaces } = account;
		const title = find("The namespace is gone", "plant-store-plants").text;
		expect(
			await type(find("The namespace is gone", "npx wrangler kv namespace list")),
		).not.toContain(title);
		await type(find("The namespace is gone", "npx wrangler kv namespace create"));
		const [id = ""] = namespaces.keys();
		expect(namespaces.get(id)?.title).toBe(title);
		edit(join(night, "wrangler.toml"), new RegExp(namespace), id);
		await type(find("The namespace is gone", "git commit"));
		const withoutPush = { " && git push origin HEAD:main": "" };
		const deployed = await type(find("The namespace is gone", "npm ci"), withoutPush);
		expect(deployed).toContain(find(intruder, "Current Version ID").text);
		await type(find(intruder, "git push", 0));

		const listed = await type(find(intruder, "npx wrangler secret list"));
		expect(listed).toContain("ACCESS_TOKEN_EVIL");
		await type(find(intruder, "npx wrangler secret delete"), { "<name>": "ACCESS_TOKEN_EVIL" });
		const names = { "<NAMES>": "ACCESS_TOKEN ACCESS_TOKEN_SHOP" };
		const printed = await type(find("New tokens", "for name in"), names);
		for (const other of ["monitor", "clone"]) {
			await run(`cd ~/${other}`);
			await type(find(intruder, "git switch main && git pull"));
			writeEnv(join(home, other), account);
		}
		const tokens = [...worker.live.secrets];
		expect(tokens.map(([name]) => name)).toEqual(["ACCESS_TOKEN", "ACCESS_TOKEN_SHOP"]);
		for (const [name, token] of tokens) expect(printed).toContain(`\n${name} ${token}\n`);
		expect(worker.live.namespace).toBe(id);
		expect(worker.live.code).not.toContain("evil code");
		expect(await atOrigin(operator, `diff --name-only ${commit} main`)).toBe("wrangler.toml");
		expect(existsSync(join(home, "ran")), "whether the intruder's program has run").toBe(false);
	});

	scene(
		"plants that are missing, wrong, or too many, with another id in main",
		async (operator) => {
			const { home, type, run } = operator;
			const { namespace, plants, backup } = await startService(operator);
			const before = new Map(plants);
			plants.delete("1");
			plants.set("2", "overwritten");
			plants.set("9", "too many");
			edit(join(home, "clone/wrangler.toml"), new RegExp(namespace), "0".repeat(32));
			await push(operator, "unfinished");
			await begin(operator);
			const night = (await run("pwd")).trim();

			const namespaces: { id: string; title: string }[] = JSON.parse(
				await type(find(plantsAreWrong, "npx wrangler kv namespace list")),
			);
			const title = find(plantsAreWrong, "plant-store-plants").text;
			expect(namespaces).toContainEqual(expect.objectContaining({ id: namespace, title }));
			edit(join(night, "wrangler.toml"), /0{32}/, namespace);
			await type(find(plantsAreWrong, "git commit"));
			await run("cd ~/monitor");
			await type(find(plantsAreWrong, "git pull"));
			expect(await run("cat wrangler.toml")).toContain(namespace);
			await run(`cd ${night}`);

			await type(find(plantsAreWrong, "new="));
			const one = await type(find(plantsAreWrong, "grep"), { "<id>": "2" });
			expect(one.trim().split("\n")).toHaveLength(2);
			const file = { "<file>": backup };
			const differences = await typeInVain(type(find(plantsAreWrong, "diff"), file));
			expect(differences.match(/^[<>].+?"(?=,)/gm)).toEqual([
				'< {"key":"1"',
				'< {"key":"2"',
				'> {"key":"2"',
				'> {"key":"9"',
			]);
			await type(find(plantsAreWrong, "npm run restore", 0), file);
			expect([...plants.keys()].toSorted()).toEqual(["1", "2", "30", "9"]);
			expect(plants.get("2")).toBe("overwritten");
			await type(find(plantsAreWrong, "npm run restore", 1), {
				...file,
				"<id>": "2",
			});
			expect(plants.get("2")).toBe(before.get("2"));
			plants.set("1", "overwritten");
			await type(find(plantsAreWrong, "npm run restore", 2), file);
			await type(find(plantsAreWrong, "npx wrangler kv key delete"), { "<id>": "9" });
			expect(plants).toEqual(before);
		},
	);

	scene("plants that went to another namespace", async (operator) => {
		const { home, account, type, run } = operator;
		const { worker, namespace, plants, commit } = await startService(operator);
		const other = createNamespace(account, "other", new Map([["5", "went elsewhere"]]));
		edit(join(home, "clone/wrangler.toml"), new RegExp(namespace), other);
		const bad = await push(operator, "bad code");
		deployCommit(worker, bad, { namespace: other });
		await begin(operator);
		const toml = `${(await run("pwd")).trim()}/wrangler.toml`;
		const status = await type(find(plantsAreWrong, "npx wrangler deployments status"));
		expect(await namespaceIn(operator, status)).toBe(other);
		await type(find(good, "git checkout"), { "<commit>": commit });
		await type(find("A bad deploy", "git fetch"), { "<commit>": commit });
		const ids = { "<commit>": commit, "<bad-commit>": bad };
		expect(await type(find("A bad deploy", "git diff"), ids)).toContain(other);
		const list = await type(find(plantsAreWrong, "npx wrangler deployments list"));
		const [entry = ""] = entriesOf(list).filter((text) => text.includes(bad));
		expect(await namespaceIn(operator, entry)).toBe(other);
		edit(toml, new RegExp(namespace), other);
		await type(find(plantsAreWrong, "there="));
		await type(find(plantsAreWrong, "git restore"));
		const values = { "<file>": '"$there"', "<id>": "5" };
		await type(find(plantsAreWrong, "npm run restore", 1), values);
		expect(plants.get("5")).toBe("went elsewhere");
		expect(worker.live.namespace).toBe(namespace);
	});

	scene("the other messages of the table", async (operator) => {
		const { home, account, type, run } = operator;
		const { worker, plants } = await startService(operator);
		await begin(operator);
		await run("rm -rf node_modules");
		const backup = "npm run backup -- --remote";
		const withOldNode = `NODE_OPTIONS=--no-experimental-strip-types ${backup}`;
		expectMessage(await typeInVain(run(withOldNode)), "ERR_UNKNOWN");
		expectMessage(await typeInVain(run("npm run restore")), "ERR_MODULE");
		expectMessage(await typeInVain(run(backup)), "spawn wrangler");
		await type(find("Error messages", "npm ci"));
		plants.clear();
		expectMessage(await typeInVain(run(backup)), "KV has no plants");

		worker.newest.secrets.delete("ACCESS_TOKEN");
		const output = await typeInVain(run("npm run deploy:untested"));
		expectMessage(output, "required secrets");
		expect(output, "the message is alone").not.toContain(
			find("Error messages", "Worker does").text,
		);

		await run("export CLOUDFLARE_API_TOKEN=of-another-service");
		const command = "npx wrangler kv namespace list";
		expectMessage(await typeInVain(run(command)), "Authentication error");
		await type(find("Error messages", "unset"));
		await run(command);
		account.rolledTokens.push(account.apiToken);
		expectMessage(await typeInVain(run(command)), "Invalid access token");
		await run("rm .env");
		expectMessage(await typeInVain(run(command)), "set a CLOUDFLARE_API_TOKEN");
		const { port } = new URL((await run('echo "$CLOUDFLARE_API_BASE_URL"')).trim());
		// The port is taken, so that Wrangler doesn't wait for a browser.
		const login = `npx wrangler login --browser=false --callback-port ${port}`;
		expectMessage(await typeInVain(run(login)), "Attempting to login");
		expect(existsSync(join(home, "clone/.env"))).toBe(true);
	});
});

/** Looks up the namespace of the version that Wrangler has printed. Returns its id. */
async function namespaceIn({ type }: Operator, printed: string) {
	const [, version = ""] = printed.split(find(plantsAreWrong, "(100%)").text);
	const [id = ""] = /\S+/.exec(version) ?? [];
	const shown = await type(find(plantsAreWrong, "npx wrangler versions view"), {
		"<version-id>": id,
	});
	const [, binding = ""] = shown.split(find(plantsAreWrong, "env.PLANTS").text);
	return /\w+/.exec(binding)?.[0];
}

it("has met every message of the table", () => {
	const [, table = ""] = readFileSync("docs/incidents.md", "utf8").split("## Error messages");
	const cells = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = ""]) => cell.split("`"));
	const listed = cells.filter((text) => /\w/.test(text) && text !== ", alone");
	expect([...messages].toSorted()).toEqual(listed.toSorted());
});

it("has typed all commands but these", () => {
	expect(untypedCommands("docs/incidents.md")).toEqual([
		// Needs a browser.
		"npx wrangler login",
		// The live service writes the log.
		"npx wrangler tail --search ACCESS_TOKEN_",
		"npx wrangler tail --search '\"error\":50'",
		"npx wrangler tail --search '\"error\":415'",
		// There is no other machine.
		"scp -r <machine>:plant-backups ~",
	]);
});
