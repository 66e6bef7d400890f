// The schemas of the OpenAPI document, checked by a validator that knows nothing of zod.
import { Validator } from "@cfworker/json-schema";
import { openapi } from "../../src/openapi.ts";

const { components } = openapi;

/**
 * Says where a value is invalid under a schema of the document, or has a member unknown to it.
 * The range of an integer is not checked.
 */
export function problemsOf(schema: object, value: unknown): string[] {
	const whole = { ...schema, unevaluatedProperties: false, components };
	const validator = new Validator(whole, "2020-12");
	return validator.validate(value).errors.map(({ error }) => error);
}
