// A KV service that answers at once, so that the Worker in front of it is what is measured.
export default {
	async fetch(request) {
		await request.arrayBuffer();
		return new Response(null);
	},
};
