// itty-router with zod; it has no bearerAuth, so the token is compared by hand.
import { AutoRouter, error, type IRequest } from "itty-router";
import * as z from "zod";
import { isToken } from "./token.ts";

const NewPlant = z.object({
	id: z.int(),
	name: z.string(),
	tag: z.string().optional(),
});

const withToken = (request: IRequest) => {
	const header = request.headers.get("Authorization") ?? "";
	const known = header.startsWith("Bearer ") && isToken(header.slice("Bearer ".length));
	return known ? undefined : error(401);
};

const router = AutoRouter();

router.post("/plants", withToken, async (request: IRequest, env: Env) => {
	const result = NewPlant.safeParse(await request.json());
	if (!result.success) return error(400, z.flattenError(result.error));
	const { id, ...plant } = result.data;
	await env.PLANTS.put(String(id), JSON.stringify({ id, ...plant }));
	return plant;
});

export default { ...router };
