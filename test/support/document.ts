// The OpenAPI document, read without knowing its operations.
import { Validator } from "@cfworker/json-schema";
import { openapi } from "../../src/openapi.ts";

type Examples = Record<string, { value: unknown }>;
type Content = { "application/json": { schema: object; examples?: Examples } };
type Header = { schema: object; example: unknown };
type ResponseObject = { headers?: Record<string, Header>; content: Content };
type OperationObject = {
	parameters?: { name: string; example: unknown }[];
	requestBody?: { content: Content };
	responses: Record<string, ResponseObject | { $ref: string }>;
};

const paths: Record<string, Record<string, OperationObject>> = openapi.paths;
const { schemas, responses } = openapi.components;

/** The examples of a body, by name. */
function examplesIn(content: Content): Map<string, unknown> {
	const { examples = {} } = content["application/json"];
	return new Map(Object.entries(examples).map(([name, { value }]) => [name, value]));
}

/** A response: its schema, its examples and its headers. */
function responseOf({ headers = {}, content }: ResponseObject) {
	return {
		schema: content["application/json"].schema,
		examples: examplesIn(content),
		headers: new Map(Object.entries(headers)),
	};
}

/** The responses that operations share, by their references. */
const shared = new Map(
	Object.entries<ResponseObject>(responses).map(([name, object]) => [
		`#/components/responses/${name}`,
		responseOf(object),
	]),
);

/** The responses of an operation, by status. */
function responsesOf({ responses }: OperationObject) {
	const entries = Object.entries(responses).map(([status, object]) => {
		const response = "$ref" in object ? shared.get(object.$ref) : responseOf(object);
		if (!response) throw new Error(`The document lacks ${JSON.stringify(object)}.`);
		return [Number(status), response] as const;
	});
	return new Map(entries);
}

/** The path of an operation, with the examples of its parameters. */
function urlOf(path: string, { parameters = [] }: OperationObject): string {
	return parameters.reduce(
		(url, { name, example }) => url.replace(`{${name}}`, `${example}`),
		path,
	);
}

/** The examples of an operation's body, as JSON, by name. If it takes none, a body that is null. */
function bodiesOf({ requestBody }: OperationObject): Map<string, string | null> {
	if (!requestBody) return new Map([["", null]]);
	const examples = [...examplesIn(requestBody.content)];
	return new Map(examples.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Every operation of the document. */
export const operations = Object.entries(paths).flatMap(([path, item]) =>
	Object.entries(item).map(([method, object]) => ({
		method: method.toUpperCase(),
		path,
		url: urlOf(path, object),
		bodies: bodiesOf(object),
		responses: responsesOf(object),
	})),
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
