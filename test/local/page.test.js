// The reference page in a real browser, as wrangler dev serves it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { browser as executablePath } from "./browser.js";
import { startDev } from "./dev.js";

const state = mkdtempSync(join(tmpdir(), "plant-store-page-"));
let dev;
let browser;
let page;
let foreign;
let complaints;

beforeAll(async () => {
	dev = await startDev(state);
	browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
});
afterAll(async () => {
	await browser?.close();
	await dev?.stop();
	rmSync(state, { recursive: true, force: true });
});
beforeEach(async () => {
	page = await browser.newPage();
	foreign = [];
	complaints = [];
	page.on("request", (request) => {
		const { protocol, origin } = new URL(request.url());
		if (protocol !== "data:" && origin !== dev.url) foreign.push(request.url());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("console", (message) => {
		if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
	});
	await page.goto(dev.url);
	await page.locator(".opblock-summary").waitFor();
	return async () => {
		expect(foreign, "requests to other origins").toEqual([]);
		expect(complaints, "errors and violations of the policy").toEqual([]);
		await page.close();
	};
});

/** Types a body, sends it, and returns the answer that the page shows. */
async function send(body) {
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

it("refuses a plant without a token, and says what is missing", async () => {
	const answer = await send('{"id": 1, "name": "Monstera"}');
	expect(answer).toMatch(/^401/);
	expect(answer).toContain("Send a bearer token");
});

it("creates a plant with a token, its id above 2^53 exact in KV", async () => {
	await page.getByRole("button", { name: "Authorize" }).click();
	const dialog = page.locator(".modal-ux");
	await dialog.locator("input").fill("local-development-token");
	await dialog.getByRole("button", { name: "Apply credentials" }).click();
	await dialog.getByRole("button", { name: "Close", exact: true }).click();
	const answer = await send('{"id": 9007199254740993, "name": "Monstera"}');
	expect(answer).toMatch(/^200/);
	expect(answer).toContain('"name": "Monstera"');
	expect(dev.get("9007199254740993")).toBe('{"id":9007199254740993,"name":"Monstera"}');
});

it("fits a phone, in the dark too", async () => {
	await page.setViewportSize({ width: 390, height: 800 });
	await page.emulateMedia({ colorScheme: "dark" });
	const look = () =>
		page.evaluate(() => ({
			width: document.documentElement.scrollWidth,
			background: getComputedStyle(document.body).backgroundColor,
		}));
	await expect.poll(look).toEqual({ width: 390, background: "rgb(28, 32, 34)" });
});
