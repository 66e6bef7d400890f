// Makes the client's types from the document: schema.d.ts beside this file, with int64 as bigint.
import { writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { document } from "../../src/openapi.ts";

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const types = await openapiTS(document, {
	transform: ({ format }) => (format === "int64" ? bigint : undefined),
});
writeFileSync(new URL("schema.d.ts", import.meta.url), astToString(types));
