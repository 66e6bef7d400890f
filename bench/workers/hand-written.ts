// A plant store without libraries, for valid requests: it checks nothing.
export default {
	async fetch(request, env) {
		const { id, name, tag } = await request.json<{ id: number; name: string; tag?: string }>();
		await env.PLANTS.put(String(id), JSON.stringify({ id, name, tag }));
		return Response.json({ name, tag });
	},
} satisfies ExportedHandler<Env>;
