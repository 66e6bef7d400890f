// The commands of Operating, typed as they stand.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edit, idIn, scenesOf, startService, workerName } from "./operator.ts";
import { fill, findCode, untypedCommands, untypedHint } from "./pages.ts";

const page = "docs/operating.md";
const scene = scenesOf(page);

describe.concurrent("an operator", () => {
	scene("gives, replaces and takes away a client's token", async (operator) => {
		const { type, run, worker } = await startService(operator);
		await run(`git switch -qc topic && cd ~/monitor &&
			git commit -q --allow-empty -m Later && git push -q && cd ~/clone`);
		expect(await type("Operating", "git switch main")).toContain("added packages");
		expect(await run("git log -1 main")).toContain("Later");
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
	expect(untypedCommands(page), `${page}: ${untypedHint}`).toEqual(["npx wrangler login"]);
});
