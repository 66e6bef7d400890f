// The published contract: an OpenAPI document made from the schemas that validate. The build runs
// this file (see wrangler.toml); nothing of it is in the Worker.
import * as z from "zod/mini";
import { NewPlant, Plant } from "./plant.ts";

/** The body of every answer that is not a Plant. */
export const ErrorBody = z.object({ error: z.int32(), message: z.string() });
export type ErrorBody = z.output<typeof ErrorBody>;

/** What the schemas are called and what they mean, for a reader of the document. */
const described = z.registry<{ id?: string; description: string }>();
described.add(Plant, { id: "Plant", description: "A plant in the store." });
described.add(Plant.shape.name, { description: "The name of the plant." });
described.add(Plant.shape.tag, { description: "What type of plant it is." });
described.add(NewPlant, {
	id: "NewPlant",
	description: "A plant to create. Other members are ignored, and not stored.",
});
described.add(NewPlant.shape.id, {
	description:
		"The identification number of the plant, kept to the last digit. Beware of tools that take JSON numbers for doubles: those round it above 2^53.",
});
described.add(ErrorBody, { id: "Error", description: "Why a request failed." });
described.add(ErrorBody.shape.error, {
	description: `The HTTP status code that names the failure most precisely, whatever the status of the answer:

- 400: the body is not JSON, not UTF-8, or broke off
- 401: there is no bearer token, or it is not one that is accepted
- 413: the body is larger than 1 MiB
- 415: the Content-Type is not application/json
- 422: the JSON is no NewPlant
- 500: the service failed
- 503: the store did not take the plant; send it again after \`Retry-After\` seconds`,
});
described.add(ErrorBody.shape.message, {
	description: "A sentence for a person, which says what to change.",
});

const { schemas } = z.toJSONSchema(described, {
	io: "input",
	uri: (id) => `#/components/schemas/${id}`,
	unrepresentable: "any",
	override({ zodSchema, jsonSchema }) {
		// As OpenAPI has it: a format, not bounds, which tools would round to doubles.
		if (zodSchema._zod.def.type === "bigint")
			Object.assign(jsonSchema, { type: "integer", format: "int64" });
		delete jsonSchema.$schema;
		delete jsonSchema.$id;
	},
});
console.log(JSON.stringify(schemas, null, 1));
