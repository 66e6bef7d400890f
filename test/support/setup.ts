// Before all tests: the environment in which Wrangler, also as a part of the Vitest plugin, and commands run.

export function setup() {
	// Neither the tests nor their packages see an account, an API token or an environment of wrangler.toml.
	for (const name of Object.keys(process.env)) {
		if (name.startsWith("CLOUDFLARE_")) delete process.env[name];
	}
	// See dev.env.
	process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
	process.env["WRANGLER_SEND_METRICS"] = "false";
	// Wrangler would warn that the secret is missing, which the projects set by themselves.
	process.env["WRANGLER_LOG"] = "error";
}
