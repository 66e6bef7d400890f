// Makes clients from the OpenAPI document with two generators, as their users would, into dist/clients.
import { join } from "node:path";
import { generate } from "orval";
import { generateApi } from "swagger-typescript-api";

const root = join(import.meta.dirname, "../..");
const input = join(root, "dist/public/openapi.json");
const output = join(root, "dist/clients");

await generate({
	input: { target: input },
	output: { target: join(output, "orval.ts"), client: "fetch", override: { useBigInt: true } },
});
await generateApi({
	input,
	output,
	fileName: "swagger-typescript-api.ts",
	silent: true,
	primitiveTypeConstructs: (types) => ({
		...types,
		integer: { $default: "number", int64: "bigint" },
	}),
});
