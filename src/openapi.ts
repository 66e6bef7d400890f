// The published contract as an OpenAPI document, which the build writes to a file.
// Members and types of plants come from the schemas that validate them, the descriptions from here.
import * as z from "zod/mini";
import { MAX_BODY_BYTES, NewPlant, Plant } from "./plant.ts";

const limit = `${MAX_BODY_BYTES / 1024} KiB`;

const descriptions = z
	.registry<{ description: string }>()
	.add(Plant, { description: "A plant, without its id." })
	.add(Plant.shape.name, { description: "The name of the plant. Any string is valid." })
	.add(Plant.shape.tag, { description: "The type of plant: any string, or none at all." })
	.add(NewPlant, { description: "A plant to create. Members not described here are ignored." })
	.add(NewPlant.shape.id, {
		description:
			"The id of the plant: any JSON number that is an integer in the int64 range. The service keeps every digit, but many tools round numbers above 2^53 before they send them.",
	});

/** The OpenAPI schema of what a zod schema accepts, with its descriptions. */
function openapiSchema(schema: z.ZodMiniType) {
	const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
		metadata: descriptions,
		// Unknown members are accepted, though not kept.
		io: "input",
		// JSON Schema has no bigint. Anything else that it can't express stops the build.
		unrepresentable: ({ zodSchema }) =>
			zodSchema._zod.def.type === "bigint" ? { type: "integer", format: "int64" } : "throw",
	});
	return rest;
}

const schemas = {
	Plant: openapiSchema(Plant),
	NewPlant: openapiSchema(NewPlant),
	Error: {
		type: "object",
		description: "The reason for a failure, and what to do.",
		properties: {
			error: {
				type: "integer",
				format: "int32",
				description:
					"The status code that describes the failure best: 401, or a number that the response 400 explains. The HTTP status is 401 if this is 401, and 400 for every other number.",
			},
			message: { type: "string", description: "Text for a person, which says what to do." },
		},
		required: ["error", "message"],
	},
};

/** The `content` of a request or response in JSON: the name of its schema, and an example. */
function jsonContent(schema: keyof typeof schemas, example: object) {
	return { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } };
}

const plant: Required<Plant> = { name: "Monstera", tag: "tropical" };

const responses = {
	BadRequest: {
		description: `The request failed. The number in \`error\` is the first of these that applies:

- \`415\`: the body is not \`application/json\`, or is compressed (\`Content-Encoding\`)
- \`413\`: the body is larger than ${limit}
- \`400\`: the body is not UTF-8, is not JSON, is nested too deeply, or was cut off
- \`422\`: the JSON is not a NewPlant; the message names every wrong member
- \`503\`: the store did not acknowledge the plant
- \`500\`: the service itself failed`,
		headers: {
			"Retry-After": {
				description: "With 503 in `error`: the seconds to wait before you send the request again.",
				schema: { type: "integer" },
				example: 10,
			},
		},
		content: jsonContent("Error", {
			error: 422,
			message:
				"id: an integer from -2^63 to 2^63 - 1 is required, as a JSON number; name: a string is required",
		}),
	},
	Unauthorized: {
		description: "The bearer token is missing or not accepted. The number in `error` is 401.",
		headers: {
			"WWW-Authenticate": {
				description:
					'The challenge (RFC 6750, section 3). It has `error="invalid_token"` if the request had a well-formed token.',
				required: true,
				schema: { type: "string" },
				example: 'Bearer realm="plant-store"',
			},
		},
		content: jsonContent("Error", {
			error: 401,
			message: "Send a bearer token, with the header Authorization: Bearer <token>.",
		}),
	},
};

/** The contract as an OpenAPI 3.1 document. */
export const openapi = {
	openapi: "3.1.0",
	info: {
		title: "Plant Store",
		version: "1.0.0",
		description:
			"One operation stores a plant under an id that the client chooses. If it fails, an Error says what to do.",
		license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
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
				description: `Stores a plant under its id, replacing any plant with the same id.

Wait at least ten seconds for a response: the service may be retrying. After an \`error\` below 500, nothing is stored. After any other failure, the plant may or may not be stored, and the request can be sent again.`,
				requestBody: {
					description: `The plant to create, at most ${limit} of UTF-8.`,
					required: true,
					content: jsonContent("NewPlant", { id: 4711, ...plant }),
				},
				responses: {
					200: {
						description:
							"The store has acknowledged the plant. The response is the Plant, without its id.",
						content: jsonContent("Plant", plant),
					},
					400: { $ref: "#/components/responses/BadRequest" },
					401: { $ref: "#/components/responses/Unauthorized" },
				},
			},
		},
	},
	components: {
		schemas,
		responses,
		securitySchemes: {
			bearer: {
				type: "http",
				scheme: "bearer",
				description:
					"A token that the operator of this service gives out. Enter it alone, without the word Bearer.",
			},
		},
	},
};
