// The published contract: OpenAPI documents made from the schemas that validate. The build writes them
// to files; nothing of this is in the Worker.
import * as z from "zod/mini";
import { ErrorBody } from "./error.ts";
import { NewPlant, Plant } from "./plant.ts";

/** What each field means, for the reader of the document. */
const FIELDS = {
	id: "The identification number of the plant: any JSON number that is an integer in int64. It is kept to the last digit, but many tools round numbers above 2^53 before they send them.",
	name: "The name of the plant. Any string will do.",
	tag: "What type of plant it is. Any string, or left out.",
} satisfies Record<keyof NewPlant, string>;

const descriptions = z.registry<{ id?: string; description: string }>();
descriptions
	.add(Plant, { id: "Plant", description: "A plant in the store." })
	.add(NewPlant, {
		id: "NewPlant",
		description: "A plant to create. Members that are not described here are ignored.",
	})
	.add(ErrorBody, { id: "Error", description: "Why a request failed, and what to change." })
	.add(ErrorBody.shape.error, {
		description: `The HTTP status code that names the failure most precisely:

- \`400\`: the body is not JSON, not UTF-8, or broke off
- \`401\`: there is no bearer token, or it is not accepted
- \`413\`: the body is larger than 1 MiB
- \`415\`: the Content-Type is not \`application/json\`, or the body is compressed
- \`422\`: the JSON is not a NewPlant; the message names every wrong field
- \`500\`: the service failed
- \`503\`: the store did not take the plant; send it again after \`Retry-After\``,
	})
	.add(ErrorBody.shape.message, {
		description: "A sentence for a person, which says what to change.",
	});
const meaning = new Map(Object.entries(FIELDS));
for (const [field, schema] of Object.entries(NewPlant.shape)) {
	descriptions.add(schema, { description: meaning.get(field) ?? "" });
}

const { schemas } = z.toJSONSchema(descriptions, {
	metadata: descriptions,
	io: "input",
	uri: (id) => `#/components/schemas/${id}`,
	unrepresentable: "any",
	override({ zodSchema, jsonSchema }) {
		const { type, format } = { format: undefined, ...zodSchema._zod.def };
		// Formats rather than bounds: those of int64 are numbers that most tools round.
		if (type === "bigint") Object.assign(jsonSchema, { type: "integer", format: "int64" });
		if (format === "int32") {
			Object.assign(jsonSchema, { format, minimum: undefined, maximum: undefined });
		}
	},
});

/** A schema as OpenAPI has it, where `$ref` and the document say what `$id` and `$schema` would. */
function component(name: "Plant" | "NewPlant" | "Error") {
	const { $schema, $id, ...schema } = { ...schemas[name] };
	return schema;
}

/** A schema as a reference to another one and what it adds to that. */
function extension(name: "NewPlant", base: "Plant") {
	const { type, properties = {}, required = [], description } = component(name);
	const inherited = component(base);
	const added = Object.entries(properties).filter(
		([key]) => !(key in (inherited.properties ?? {})),
	);
	return {
		description,
		allOf: [
			{ $ref: `#/components/schemas/${base}` },
			{
				type,
				properties: Object.fromEntries(added),
				required: required.filter((key) => !inherited.required?.includes(key)),
			},
		],
	};
}

/** JSON of a component, with examples of it by what they show. */
function json(name: "Plant" | "NewPlant" | "Error", examples: Record<string, unknown>) {
	const values = Object.entries(examples).map(([summary, value]) => [
		summary.toLowerCase().replaceAll(/[^a-z]+/g, "-"),
		{ summary, value },
	]);
	return {
		"application/json": {
			schema: { $ref: `#/components/schemas/${name}` },
			examples: Object.fromEntries(values),
		},
	};
}

/** The contract as an OpenAPI 3.1 document. */
export const openapi = {
	openapi: "3.1.0",
	info: {
		title: "Plant Store",
		version: "1.0.0",
		summary: "Creates plants in a store at the edge.",
		description:
			"One operation creates a plant under an id that the client chooses. Every failure is answered with an Error that says what to change.",
		contact: { name: "The operator of this store, who gives out its bearer tokens" },
		license: { name: "MIT", identifier: "MIT" },
	},
	servers: [{ url: "/", description: "Where this document is served" }],
	security: [{ bearer: [] }],
	tags: [{ name: "plants", description: "The plants in the store." }],
	paths: {
		"/plants": {
			post: {
				operationId: "createPlant",
				tags: ["plants"],
				summary: "Create a plant",
				description:
					"Stores a plant under its id, in place of any that was there. A request that got no answer, or a 503 or 500 in its Error, may have stored the plant or not: send it again as it is, unless another client has written the same id since. After any other Error nothing is stored.",
				requestBody: {
					description: "The plant to create, at most 1 MiB of UTF-8.",
					required: true,
					content: json("NewPlant", {
						"With a tag": { id: 4711, name: "Monstera", tag: "tropical" },
						"Without a tag": { id: 4712, name: "Ficus" },
					}),
				},
				responses: {
					200: {
						description: "The plant is stored. It is answered as it was accepted, without its id.",
						content: json("Plant", {
							"With a tag": { name: "Monstera", tag: "tropical" },
							"Without a tag": { name: "Ficus" },
						}),
					},
					400: {
						description:
							"The request failed. The number in `error` tells why: 400, 413, 415 and 422 are for the client to fix; 503 is worth sending again; 500 is a fault of the service.",
						headers: {
							"Retry-After": {
								description: "With 503 in `error`: after how many seconds to send the plant again.",
								schema: { type: "integer" },
							},
						},
						content: json("Error", {
							"Fields are wrong": {
								error: 422,
								message: "name: must be given, as a string; tag: must be a string, or be left out",
							},
							"The store did not take the plant": {
								error: 503,
								message: "The store did not take the plant. Send it again later.",
							},
						}),
					},
					401: {
						description: "There is no bearer token, or it is not accepted.",
						headers: {
							"WWW-Authenticate": {
								description:
									'The challenge (RFC 6750, section 3): with `error="invalid_token"` where there was a token.',
								required: true,
								schema: { type: "string" },
								example: 'Bearer realm="plant-store"',
							},
						},
						content: json("Error", {
							"There is no token": {
								error: 401,
								message:
									"Send a bearer token, with the header Authorization: Bearer <ACCESS_TOKEN>.",
							},
						}),
					},
				},
			},
		},
	},
	components: {
		schemas: {
			Plant: component("Plant"),
			NewPlant: extension("NewPlant", "Plant"),
			Error: component("Error"),
		},
		securitySchemes: {
			bearer: {
				type: "http",
				scheme: "bearer",
				description: "A token that the operator of the store gives out.",
			},
		},
	},
};

const { summary: _, license, ...info } = openapi.info;

/** The same contract as an OpenAPI 3.0 document, for the tools that read no other. */
export const openapi30 = {
	...openapi,
	openapi: "3.0.3",
	info: {
		...info,
		license: { name: license.name, url: `https://spdx.org/licenses/${license.identifier}.html` },
	},
};
