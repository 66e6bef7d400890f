// The route of the operation, and the Errors outside it.
import { expect, it } from "vitest";
import { expectError, expectPlant } from "../support/responses.ts";
import { newPlant, request, token } from "./client.ts";

const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

it.each(["/plants", "/plants?id=1&x"])("POST %s is the operation", async (path) => {
	const response = await request(path, { method: "POST", headers, body: newPlant() });
	await expectPlant(response, { name: "Monstera" });
});

it.each(["GET", "OPTIONS"])("%s /plants is 405 without a token, with Allow", async (method) => {
	const response = await request("/plants", { method });
	const message = /^Use POST: .+ a redirect may have changed the method: use the https address\.$/;
	await expectError(response, 405, message);
	expect(response.headers.get("Allow")).toBe("POST");
});

it.each(["/", "/nope", "/plants/", "//plants"])("%s is 404, for GET and POST", async (path) => {
	for (const method of ["GET", "POST"]) {
		const response = await request(path, { method, headers });
		const message =
			/^Use POST \/plants, with one slash before it and none after: .+ \/docs describes it\.$/;
		await expectError(response, 404, message);
	}
});
