// The page in a real browser, as a person uses it.
import { existsSync } from "node:fs";
import type { KVNamespace } from "@cloudflare/workers-types";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestHarness } from "wrangler";

const places = [
	process.env["CHROME_PATH"] ?? "",
	"/usr/bin/chromium",
	"/usr/bin/google-chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const executablePath = places.find((path) => existsSync(path)) ?? "";
if (!executablePath && process.env["CI"]) {
	throw new Error("Install Chromium or Chrome, or set CHROME_PATH: in CI, no test is skipped.");
}

const token = "page-token";
const server = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: token } }],
});
describe.skipIf(!executablePath)("the reference page, if there is a Chromium", () => {
	let url: URL;
	let browser: Browser | undefined;
	let page: Page;
	// A request to another origin would violate the policy, too.
	const complaints: string[] = [];

	beforeAll(async () => {
		({ url } = await server.listen());
		browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
		page = await browser.newPage({ colorScheme: "dark" });
		page.setDefaultTimeout(180_000);
		page.on("pageerror", (error) => complaints.push(error.message));
		page.on("console", (message) => {
			if (message.type() === "error") complaints.push(message.text());
		});
		await page.goto(new URL("/docs", url).href);
	});
	afterEach(() => expect(complaints, "errors, or violations of the policy").toEqual([]));
	afterAll(async () => {
		await browser?.close();
		await server.close();
	});

	it("says that a token is needed, and creates a plant with an exact id above 2^53", async () => {
		await page.getByText(/needs a bearer token: press Authorize/).waitFor();
		await page.getByRole("button", { name: "Authorize" }).click();
		await page.getByText(/Enter it alone, without the word Bearer\./).waitFor();
		// The dialog's field comes before the body's.
		await page.getByRole("textbox").first().fill(token);
		await page.getByRole("button", { name: "Apply credentials" }).click();
		await page.getByRole("button", { name: "Close", exact: true }).click();
		const operation = page.locator("#operations-plants-createPlant");
		await operation.getByRole("textbox").fill('{"id": 9007199254740993, "name": "Monstera"}');
		const response = page.waitForResponse(new URL("/plants", url).href);
		await operation.getByRole("button", { name: "Execute" }).click();
		expect(await (await response).json()).toEqual({ name: "Monstera" });
		const { PLANTS } = await server.getWorker<{ PLANTS: KVNamespace }>().getEnv();
		const value = '{"id":9007199254740993,"name":"Monstera"}';
		expect(await PLANTS.get("9007199254740993")).toBe(value);
	});

	it("fits a phone, and follows dark mode", async () => {
		await page.setViewportSize({ width: 390, height: 800 });
		// As text, because it runs in the page: Node's types have no document.
		const width = () => page.evaluate("document.documentElement.scrollWidth");
		const theme = () => page.evaluate("document.documentElement.className");
		await expect.poll(width).toBe(390);
		expect(await theme()).toBe("dark-mode");
		await page.emulateMedia({ colorScheme: "light" });
		await expect.poll(theme).toBe("");
	});
});
