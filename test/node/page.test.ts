// The reference page in a real browser, as a person uses it.
import { existsSync } from "node:fs";
import type { KVNamespace } from "@cloudflare/workers-types";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestHarness } from "wrangler";

const places = ["/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = places.find((path) => existsSync(path)) ?? "";

const token = "page-token";
const server = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: token } }],
});
let url: URL;
let browser: Browser;
let page: Page;

/** The part of the page about the operation, which Swagger UI names by tag and operationId. */
const operation = () => page.locator("#operations-plants-createPlant");

/** Types a body, sends it, and returns the service's answer. */
async function send(body: string) {
	await operation().getByRole("textbox").fill(body);
	const answer = page.waitForResponse(new URL("/plants", url).href);
	await operation().getByRole("button", { name: "Execute" }).click();
	return answer;
}

describe.skipIf(!executablePath)("the reference page, if a usual place has a Chromium", () => {
	beforeAll(async () => {
		({ url } = await server.listen());
		browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
	});
	afterAll(async () => {
		await browser?.close();
		await server.close();
	});
	beforeEach(async () => {
		page = await browser.newPage();
		// A request to another origin would violate the policy, too.
		const complaints: string[] = [];
		page.on("pageerror", (error) => complaints.push(error.message));
		page.on("console", (message) => {
			if (/Content Security Policy|Refused to/.test(message.text()))
				complaints.push(message.text());
		});
		await page.goto(url.href);
		await operation().getByRole("button", { name: "Execute" }).waitFor();
		return async () => {
			await page.close();
			expect(complaints, "errors and violations of the policy").toEqual([]);
		};
	});

	it("says that a token is needed, and a plant without one is refused", async () => {
		expect(await page.getByText(/needs a bearer token: press Authorize/).isVisible()).toBe(true);
		const answer = await send('{"id": 1, "name": "Monstera"}');
		expect(answer.status()).toBe(401);
	});

	it("creates a plant with a token, its id above 2^53 exact in KV", async () => {
		await page.getByRole("button", { name: "Authorize" }).click();
		await page.getByRole("button", { name: "Apply credentials" }).waitFor();
		// The dialog's field comes before the body's.
		await page.getByRole("textbox").first().fill(token);
		await page.getByRole("button", { name: "Apply credentials" }).click();
		await page.getByRole("button", { name: "Close", exact: true }).click();
		const answer = await send('{"id": 9007199254740993, "name": "Monstera"}');
		expect(await answer.json()).toEqual({ name: "Monstera" });
		const { PLANTS } = await server.getWorker<{ PLANTS: KVNamespace }>().getEnv();
		const value = '{"id":9007199254740993,"name":"Monstera"}';
		expect(await PLANTS.get("9007199254740993")).toBe(value);
	});

	it("shows the schemas, which alone say that an id is an int64", async () => {
		const format = page.getByText("int64", { exact: true }).first();
		await expect.poll(() => format.isVisible()).toBe(true);
	});

	it("fits a phone, and follows dark mode", async () => {
		await page.setViewportSize({ width: 390, height: 800 });
		await page.emulateMedia({ colorScheme: "dark" });
		// As text, because it runs in the page: Node's types have no document.
		const width = () => page.evaluate("document.documentElement.scrollWidth");
		const theme = () => page.evaluate("document.documentElement.className");
		await expect.poll(width).toBe(390);
		await expect.poll(theme).toBe("dark-mode");
	});
});
