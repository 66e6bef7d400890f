// The floor without its write to KV, to tell how much of the floor that write is.
export default {
	async fetch(request) {
		const { name, tag } = await request.json<{ id: number; name: string; tag?: string }>();
		return Response.json({ name, tag });
	},
} satisfies ExportedHandler<Env>;
