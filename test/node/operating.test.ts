// The commands of README's Deploy and of Operating, typed as they stand.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edit, scenesOf, startService, writeEnv, writeIds } from "../support/operator.ts";
import { fill, findCode, unguardedCommands, untypedCommands } from "../support/pages.ts";
import { workerName } from "../support/project.ts";

const page = "docs/operating.md";
const sceneOfDeploy = scenesOf("README.md");
const scene = scenesOf(page);

/** Returns the id of a namespace, which Wrangler has printed. */
const idIn = (output: string) => /\b[0-9a-f]{32}\b/.exec(output)?.[0] ?? "";

describe.concurrent("an operator", () => {
	sceneOfDeploy("deploys a new service", async ({ home, account, type, run }) => {
		writeEnv(join(home, "clone"), account);
		await run("git remote add origin ../theirs.git && git init -q --bare ../origin.git");
		await type("Deploy", "git switch main", { "<repository>": "../origin.git" });
		expect(await type("Deploy", "npx wrangler whoami")).toContain(account.id);
		const id = idIn(await type("Deploy", "npx wrangler kv namespace create"));
		expect(account.namespaces.get(id)?.title).toBe(`${workerName}-plants`);
		writeIds(join(home, "clone"), account, id);
		await type("Deploy", "git commit");
		const token = (await type("Deploy", "token=")).slice(0, 64);
		const worker = account.workers.get(workerName);
		expect(worker?.live.secrets).toEqual(new Map([["ACCESS_TOKEN", token]]));
		await type("Deploy", "npm run deploy");
		const message = await run("git -C ../origin.git rev-parse main");
		expect(worker?.live).toMatchObject({ message, namespace: id });
		expect(worker?.live.bundle).toContain("Send a bearer token");
	});

	scene("gives, replaces and takes away a client's token", async (operator) => {
		const { type, worker } = await startService(operator);
		expect(await type("Operating", "git switch main")).toContain("added packages");
		const token = (await type("Clients", "token=", { "<CLIENT>": "SHOP_2" })).slice(0, 64);
		expect(worker.live.secrets.get("ACCESS_TOKEN_SHOP_2")).toBe(token);
		await type("Clients", "npx wrangler secret delete");
		const names = ["ACCESS_TOKEN", "ACCESS_TOKEN_SHOP_2"];
		expect([...worker.live.secrets.keys()]).toEqual(names);
		const list: object[] = JSON.parse(await type("Clients", "npx wrangler secret list"));
		expect(list).toMatchObject(names.map((name) => ({ name })));
	});

	scene("backs up, and deletes plants, one and many", async (operator) => {
		const { type, run, plants } = await startService(operator);
		expect(await type("Plants", "npm run backup")).toMatch(/-3-plants\.json$/);
		expect(await type("Plants", "npx wrangler kv key get", { "<id>": "1" })).toBe(plants.get("1"));
		await type("Plants", "npx wrangler kv key delete", { "<id>": "1" });
		expect([...plants.keys()]).toEqual(["2", "30"]);
		await type("Plants", "npx wrangler kv key list", { "<digits>": "3" });
		await type("Plants", "npx wrangler kv bulk delete");
		expect([...plants.keys()]).toEqual(["2"]);
		expect(await run("ls")).not.toContain("ids.json");
	});

	scene("sets up a second environment, with its nightly backup", async (operator) => {
		const { home, account, type, run, worker } = await startService(operator);
		const { live } = worker;
		const second = "A second environment";
		const id = idIn(await type(second, "npx wrangler kv namespace create"));
		expect(account.namespaces.get(id)?.title).toBe(`${workerName}-staging-plants`);
		const toml = join(home, "clone/wrangler.toml");
		edit(toml, /^# (\[env\.staging\]\n)# (.+\n)# (.+\n)# (.+\n)# (.+\n)/m, "$1$2$3$4$5");
		edit(toml, /(binding = "PLANTS", id = )"\w+"/, `$1"${id}"`);
		await type(second, "npm run types");
		await run("git add . && git commit -qm Staging && git push -q");
		await type(second, "export");
		const name = { "ACCESS_TOKEN_<CLIENT>": "ACCESS_TOKEN" };
		const token = (await type("Clients", "token=", name)).slice(0, 64);
		const staging = account.workers.get(findCode(page, second, `${workerName}-staging`).text);
		expect(staging?.live.secrets).toEqual(new Map([["ACCESS_TOKEN", token]]));
		await type(second, "npm run deploy");
		expect(staging?.live.namespace).toBe(id);
		expect(worker.live, "production").toBe(live);

		account.namespaces.get(id)?.plants.set("7", "of staging");
		await run("cd ../monitor");
		await type("The monitor and the nightly backup", "npm ci");
		expect(await type(second, "git pull")).toContain("added packages");
		const values = {
			"<address>": "a@example.com",
			"<clone>": join(home, "monitor"),
			"<folder>": join(home, "bin"),
		};
		const crontab = fill(findCode(page, "The monitor and the nightly backup", "MAILTO"), values);
		const [, line = ""] = /^ *0 3 \* \* \* (.+)/m.exec(crontab) ?? [];
		const nightly = line.replace(
			" npm ",
			` ${findCode(page, second, "CLOUDFLARE_ENV=staging").text} npm `,
		);
		const variables = `HOME="$HOME" CLOUDFLARE_API_BASE_URL="$CLOUDFLARE_API_BASE_URL"`;
		expect(await run(`env -i ${variables} sh -c '${nightly}'`), "what cron would mail").toBe("");
		const [, folder = ""] = findCode(page, second, "~/plant-backups").text.split("~/");
		expect(await run(`cat ~/${folder}/*.json`)).toBe('[\n{"key":"7","value":"of staging"}\n]');
	});
});

it("has typed all but these, which need a browser", () => {
	expect(untypedCommands("README.md", "Deploy"), "README.md").toEqual([
		"npm ci && npx wrangler login",
	]);
	expect(untypedCommands(page), page).toEqual(["npx wrangler login"]);
	expect(unguardedCommands("README.md", "Deploy")).toEqual([]);
});
