// The reference page in a real browser.
import type { KVNamespace } from "@cloudflare/workers-types";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { browser as executablePath } from "../support/browser.ts";

const token = "page-token";
const server = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: token } }],
});
let url: URL;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	({ url } = await server.listen());
	const options = executablePath ? { executablePath } : {};
	browser = await chromium.launch({ ...options, args: ["--no-sandbox", "--disable-gpu"] });
});
afterAll(async () => {
	await browser?.close();
	await server.close();
});
beforeEach(async () => {
	page = await browser.newPage();
	const foreign: string[] = [];
	const complaints: string[] = [];
	page.on("request", (request) => {
		const { protocol, origin } = new URL(request.url());
		if (protocol !== "data:" && origin !== url.origin) foreign.push(request.url());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("console", (message) => {
		if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
	});
	await page.goto(url.href);
	await page.locator(".opblock-summary").waitFor();
	return async () => {
		expect(foreign, "requests to other origins").toEqual([]);
		expect(complaints, "errors and violations of the policy").toEqual([]);
		await page.close();
	};
});

/** Types a body, sends it, and returns the answer that the page shows. */
async function send(body: string) {
	await page.locator(".body-param textarea").fill(body);
	await page.getByRole("button", { name: "Execute" }).click();
	const answer = page.locator(".live-responses-table .response");
	await answer.waitFor();
	return answer.textContent();
}

it("shows the one operation and its three answers", async () => {
	expect(await page.title()).toBe("Plant Store");
	expect(await page.locator(".opblock-summary").allInnerTexts()).toEqual([
		expect.stringMatching(/POST\s+\/plants\s+Create a plant/),
	]);
	const statuses = page.locator(".responses-table .response-col_status");
	expect((await statuses.allInnerTexts()).slice(1)).toEqual(["200", "400", "401"]);
});

it("shows NewPlant's fields in its example and in its schema, the required ones marked", async () => {
	const body = page.locator(".opblock-section-request-body");
	const example = await body.locator("textarea").inputValue();
	expect(Object.keys(JSON.parse(example))).toEqual(["id", "name", "tag"]);
	await body.getByRole("tab", { name: "Schema" }).click();
	const fields = body.locator(".json-schema-2020-12-property");
	await fields.first().waitFor();
	const names = (texts: string[]) => texts.map((text) => /^(id|name|tag)/.exec(text)?.[0]).sort();
	expect(names(await fields.allInnerTexts())).toEqual(["id", "name", "tag"]);
	const required = body.locator(".json-schema-2020-12-property--required");
	expect(names(await required.allInnerTexts())).toEqual(["id", "name"]);
});

it("refuses a plant without a token, and says what is missing", async () => {
	const answer = await send('{"id": 1, "name": "Monstera"}');
	expect(answer).toMatch(/^401/);
	expect(answer).toContain("Send a bearer token");
});

it("creates a plant with a token, its id above 2^53 exact in KV", async () => {
	await page.getByRole("button", { name: "Authorize" }).click();
	const dialog = page.locator(".modal-ux");
	await dialog.locator("input").fill(token);
	await dialog.getByRole("button", { name: "Apply credentials" }).click();
	await dialog.getByRole("button", { name: "Close", exact: true }).click();
	const answer = await send('{"id": 9007199254740993, "name": "Monstera"}');
	expect(answer).toMatch(/^200/);
	expect(answer).toContain('"name": "Monstera"');
	const { PLANTS } = await server.getWorker<{ PLANTS: KVNamespace }>().getEnv();
	expect(await PLANTS.get("9007199254740993")).toBe('{"id":9007199254740993,"name":"Monstera"}');
});

it("fits a phone, in the dark too", async () => {
	await page.setViewportSize({ width: 390, height: 800 });
	await page.emulateMedia({ colorScheme: "dark" });
	// Run in the page, so given as text: Node's types know no document.
	const width = () => page.evaluate("document.documentElement.scrollWidth");
	const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
	await expect.poll(width).toBe(390);
	await expect.poll(background).toBe("rgb(28, 32, 34)");
});
