// itty-router with zod; it has no bearer token of its own, so that is compared by hand.
import { AutoRouter, error, type IRequest } from "itty-router";
import { z } from "zod";

const NewPlant = z.object({
	id: z.number().int(),
	name: z.string(),
	tag: z.string().optional(),
});

const withToken = (request: IRequest, env: Env) => {
	const known = request.headers.get("Authorization") === `Bearer ${env.ACCESS_TOKEN}`;
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
