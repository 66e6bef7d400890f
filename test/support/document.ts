// The OpenAPI document, read without knowing its operations.
import { Validator } from "@cfworker/json-schema";
import { openapi } from "../../src/openapi.ts";

type Examples = Record<string, { value: unknown }>;
type Content = { "application/json": { schema: object; examples?: Examples } };
type ResponseObject = { headers?: Record<string, { example: unknown }>; content: Content };
type OperationObject = {
	parameters?: { name: string; example: unknown }[];
	requestBody?: { content: Content };
	responses: Record<string, ResponseObject | { $ref: string }>;
};

const paths: Record<string, Record<string, OperationObject>> = openapi.paths;
const shared: Record<string, ResponseObject> = openapi.components.responses;
const { schemas } = openapi.components;

/** The examples of a body, by name. */
function examplesIn(content: Content): Map<string, unknown> {
	const { examples = {} } = content["application/json"];
	return new Map(Object.entries(examples).map(([name, { value }]) => [name, value]));
}

/** A response: its schema, its examples and, as strings, the examples of its headers. */
function responseOf(object: ResponseObject | { $ref: string }) {
	const found = "$ref" in object ? shared[`${object.$ref.split("/").at(-1)}`] : object;
	if (!found) throw new Error(`The document lacks ${JSON.stringify(object)}.`);
	const { headers = {}, content } = found;
	return {
		schema: content["application/json"].schema,
		examples: examplesIn(content),
		headers: new Map(Object.entries(headers).map(([name, { example }]) => [name, `${example}`])),
	};
}

/** An operation, with the examples of its parameters in `url`, and those of its body, by name, as JSON; null if it takes none. */
function operationOf(method: string, path: string, object: OperationObject) {
	const { parameters = [], requestBody, responses } = object;
	const bodies = requestBody ? [...examplesIn(requestBody.content)] : [];
	return {
		method: method.toUpperCase(),
		path,
		url: parameters.reduce(
			(url, { name, example }) => url.replace(`{${name}}`, `${example}`),
			path,
		),
		examples: requestBody
			? bodies.map(([name, value]): [string, string] => [name, JSON.stringify(value)])
			: [["", null] as [string, null]],
		responses: new Map(
			Object.entries(responses).map(([status, response]) => [Number(status), responseOf(response)]),
		),
	};
}

/** Every operation of the document. */
export const operations = Object.entries(paths).flatMap(([path, item]) =>
	Object.entries(item).map(([method, object]) => operationOf(method, path, object)),
);
export type Operation = (typeof operations)[number];

/** The numbers in `error` that the document explains, in its order. */
export const numbers = [
	...schemas.Error.properties["error"].description.matchAll(/^- `(\d+)`/gm),
].map(([, number]) => Number(number));

/** Says where a value is invalid under a schema of the document. The range of an integer is not checked. */
export function problemsOf(schema: object, value: unknown): string[] {
	const whole = JSON.parse(JSON.stringify({ ...schema, components: { schemas } }));
	return new Validator(whole, "2020-12").validate(value).errors.map(({ error }) => error);
}
