// The commands of README's Deploy and of Operating, typed as they stand.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edit, type Operator, scene, startService, writeEnv } from "../support/operator.ts";
import { fill, findCode, untypedCommands } from "../support/pages.ts";

const ofDeploy = (start: string) => findCode("README.md", "Deploy", start);
const find = (heading: string, start: string) => findCode("docs/operating.md", heading, start);

/** Returns the id of a namespace, which Wrangler has printed. */
const idIn = (output: string) => /\b[0-9a-f]{32}\b/.exec(output)?.[0] ?? "";

/** Runs the line of crontab for the backup, as cron does, with `more` before npm. */
function runNightly({ home, run }: Operator, more: string) {
	const values = {
		"<address>": "a@example.com",
		"<clone>": join(home, "monitor"),
		"<folder>": join(home, "bin"),
	};
	const heading = "The monitor and the nightly backup";
	const [, line = ""] = /^ *0 3 \* \* \* (.+)/m.exec(fill(find(heading, "MAILTO"), values)) ?? [];
	const cron = `env -i HOME="$HOME" CLOUDFLARE_API_BASE_URL="$CLOUDFLARE_API_BASE_URL" sh -c`;
	return run(`${cron} '${line.replace(" npm ", ` ${more} npm `)}'`);
}

describe.concurrent("an operator", () => {
	scene("deploys a new service", async ({ home, account, type, run }) => {
		const clone = join(home, "clone");
		writeEnv(clone, account);
		await run("git remote add origin ../theirs.git && git init -q --bare ../origin.git");
		await type(ofDeploy("git switch main"), { "<repository>": "../origin.git" });
		expect(await type(ofDeploy("npx wrangler whoami"))).toContain(account.id);
		const id = idIn(await type(ofDeploy("npx wrangler kv namespace create")));
		edit(join(clone, "wrangler.toml"), /^# account_id = .+/m, `account_id = "${account.id}"`);
		edit(join(clone, "wrangler.toml"), /^# id = .+/m, `id = "${id}"`);
		await type(ofDeploy("git commit"));
		const token = await type(ofDeploy("token="));
		const deployed = await type(ofDeploy("npm run deploy"));
		expect(deployed).toContain("https://plant-store.example.workers.dev");
		expect(account.namespaces.get(id)?.title).toBe("plant-store-plants");
		const live = account.workers.get("plant-store")?.live;
		const commit = (await run("git -C ../origin.git rev-parse main")).trim();
		const secrets = new Map([["ACCESS_TOKEN", token.slice(0, 64)]]);
		expect(live).toMatchObject({ message: commit, namespace: id, secrets });
		expect(live?.code).toContain("Send a bearer token");
	});

	scene("gives, replaces and takes away a client's token", async (operator) => {
		const { type } = operator;
		const { worker } = await startService(operator);
		await type(find("Operating", "git switch main"));
		const printed = await type(find("Clients", "token="), { "<CLIENT>": "SHOP_2" });
		expect([...worker.live.secrets]).toEqual([
			["ACCESS_TOKEN", "own"],
			["ACCESS_TOKEN_SHOP", "shop"],
			["ACCESS_TOKEN_SHOP_2", printed.slice(0, 64)],
		]);
		await type(find("Clients", "npx wrangler secret delete"));
		expect([...worker.live.secrets.keys()]).toEqual(["ACCESS_TOKEN", "ACCESS_TOKEN_SHOP_2"]);
		const listed: { name: string }[] = JSON.parse(
			await type(find("Clients", "npx wrangler secret list")),
		);
		expect(listed.map(({ name }) => name)).toEqual(["ACCESS_TOKEN", "ACCESS_TOKEN_SHOP_2"]);
	});

	scene("backs up, and deletes plants, one and many", async (operator) => {
		const { home, type } = operator;
		const { plants } = await startService(operator);
		const file = await type(find("Plants", "npm run backup"));
		expect(file.trim()).toMatch(/-3-plants\.json$/);
		const printed = await type(find("Plants", "npx wrangler kv key get"), { "<id>": "1" });
		expect(printed.trim()).toBe(plants.get("1"));
		await type(find("Plants", "npx wrangler kv key delete"), { "<id>": "1" });
		expect([...plants.keys()]).toEqual(["2", "30"]);
		await type(find("Plants", "npx wrangler kv key list"), { "<digits>": "3" });
		await type(find("Plants", "npx wrangler kv bulk delete"));
		expect([...plants.keys()]).toEqual(["2"]);
		expect(readdirSync(join(home, "clone"))).not.toContain("ids.json");
	});

	scene("backs up each night, and sets up a second environment", async (operator) => {
		const { home, account, type, run } = operator;
		const { worker } = await startService(operator);
		const { live } = worker;
		const created = await type(find("A second environment", "npx wrangler kv namespace create"));
		const id = idIn(created);
		const toml = join(home, "clone/wrangler.toml");
		edit(toml, /^# (\[env\.staging\]\n)# (.+\n)# (.+\n)# (.+\n)# (.+\n)/m, "$1$2$3$4$5");
		edit(toml, /"fedcba9876543210fedcba9876543210"/, `"${id}"`);
		await type(find("A second environment", "npm run types"));
		await run("git add . && git commit -qm Staging && git push -q");
		await type(find("A second environment", "export"));
		const token = await type(find("Clients", "token="), {
			"ACCESS_TOKEN_<CLIENT>": "ACCESS_TOKEN",
		});
		await type(find("A second environment", "npm run deploy"));
		const staging = account.workers.get(find("A second environment", "plant-store-staging").text);
		const secrets = new Map([["ACCESS_TOKEN", token.slice(0, 64)]]);
		expect(staging?.live).toMatchObject({ namespace: id, secrets });
		expect(account.namespaces.get(id)?.title).toBe("plant-store-staging-plants");
		account.namespaces.get(id)?.plants.set("7", "of staging");
		await run("cd ../monitor");
		await type(find("A second environment", "git pull"));
		const more = find("A second environment", "CLOUDFLARE_ENV=staging").text;
		expect(await runNightly(operator, more), "what cron would mail").toBe("");
		const [, folder = ""] = find("A second environment", "~/plant-backups").text.split("~/");
		const backup = await run(`cat ~/${folder}/*.json`);
		expect(backup.split("\n")).toContain('{"key":"7","value":"of staging"}');
		expect(worker.live, "production").toBe(live);
	});
});

it("has typed all commands but these", () => {
	expect(untypedCommands("README.md", "Deploy")).toEqual([
		// Needs a browser.
		"npm ci && npx wrangler login",
	]);
	expect(untypedCommands("docs/operating.md")).toEqual(["npx wrangler login"]);
});
