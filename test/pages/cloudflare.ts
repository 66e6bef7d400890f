// A small Cloudflare: accounts in memory, behind the part of the API that Wrangler needs for the commands
// in the documents. https://developers.cloudflare.com/api/
import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { listen } from "../support/listen.ts";

const newId = () => randomUUID().replaceAll("-", "");

class Version {
	id = randomUUID();
	bundle = "";
	/** The id of the namespace of PLANTS. */
	namespace = "";
	secrets = new Map<string, string>();
	/** The message of the deploy that has made it. A change of a secret has none. */
	message: string | undefined;
}

/** A Worker. Its lists begin with the oldest. At first, it has one version, with nothing in it. */
export class Worker {
	newest = new Version();
	live = this.newest;
	versions = [this.newest];
	deployments = [{ version: this.newest, message: this.newest.message }];
}

/** An account, in which there is nothing at first. */
export class Account {
	id = newId();
	/** The API token that is accepted, and one that was accepted before. */
	apiToken = newId();
	rolledToken = newId();
	workers = new Map<string, Worker>();
	/** The namespaces of KV, by their ids. */
	namespaces = new Map<string, { title: string; plants: Map<string, string> }>();
	/** The requests for which there is no route here. */
	unknownRequests: string[] = [];
}
type Annotations = { "workers/message"?: string };
type NewDeployment = { versions: { version_id: string }[]; annotations: Annotations };
interface Metadata {
	main_module: string;
	bindings: { type: string; name: string; namespace_id?: string }[];
	keep_bindings: string[];
	annotations: Annotations;
}

const accounts: Account[] = [];

export function openAccount(): Account {
	const account = new Account();
	accounts.push(account);
	return account;
}

/** Makes an empty namespace of KV. */
export function createNamespace(account: Account, title: string) {
	const id = newId();
	const plants = new Map<string, string>();
	account.namespaces.set(id, { title, plants });
	return { id, plants };
}

/** Adds a version: the newest one, with these changes. */
export function upload(worker: Worker, changes: Partial<Version>): Version {
	const { bundle, namespace, secrets } = worker.newest;
	worker.newest = { bundle, namespace, secrets, message: undefined, ...changes, id: randomUUID() };
	worker.versions.push(worker.newest);
	return worker.newest;
}

/** Makes a version live. */
export function deploy(worker: Worker, version: Version, message = version.message) {
	worker.live = version;
	worker.deployments.push({ version, message });
}

function refuse(status: 400 | 403 | 404, code: number, message: string): never {
	throw new HTTPException(status, { message, cause: code });
}

type AppEnv = { Variables: { account: Account; worker: Worker; plants: Map<string, string> } };
const app = new Hono<AppEnv>().basePath("/client/v4");

/** How the API lists keys. */
const namesOf = (map: Map<string, string>) => [...map.keys()].map((name) => ({ name }));
const respond = (c: Context, result: unknown) =>
	c.json({ success: true, errors: [], messages: [], result });

app.onError((exception, c) => {
	const status = exception instanceof HTTPException ? exception.status : 500;
	const errors = [{ code: exception.cause, message: exception.message }];
	return c.json({ success: false, errors, messages: [], result: null }, status);
});

app.use(async (c, next) => {
	const [, token = ""] = c.req.header("Authorization")?.split(" ") ?? [];
	const isRolled = accounts.some(({ rolledToken }) => rolledToken === token);
	if (isRolled) refuse(403, 9109, "Invalid access token");
	const account = accounts.find(({ apiToken }) => apiToken === token);
	c.set("account", account ?? refuse(403, 10000, "Authentication error"));
	await next();
});
app.get("/user/tokens/verify", (c) => respond(c, { id: "token", status: "active" }));
app.get("/user", (c) => respond(c, { id: "user", email: "a@example.com" }));
app.get("/memberships", (c) => respond(c, [{ account: c.var.account }]));
app.get("/accounts", (c) => respond(c, [c.var.account]));

const own = "/accounts/:account";
const script = `${own}/workers/scripts/:name`;
app.put(script, (c) => {
	c.var.account.workers.set(c.req.param("name"), new Worker());
	return respond(c, {});
});
app.use(`${own}/workers/:kind/:name/*`, async (c, next) => {
	const worker = c.var.account.workers.get(c.req.param("name"));
	c.set("worker", worker ?? refuse(404, 10007, "This Worker does not exist on your account."));
	await next();
});
app.get(`${own}/workers/services/:name`, (c) =>
	respond(c, { default_environment: { script: {} } }),
);
app.get(`${own}/workers/workers/:name`, (c) => {
	const url = `https://${c.req.param("name")}.example.workers.dev`;
	return respond(c, { subdomain: { enabled: true, previews_enabled: false, url } });
});
app.get(`${script}/secrets`, (c) => respond(c, namesOf(c.var.worker.newest.secrets)));
app.on(["PUT", "DELETE"], [`${script}/secrets`, `${script}/secrets/:secret`], async (c) => {
	const { worker } = c.var;
	if (worker.live !== worker.newest) {
		refuse(400, 10215, "Secret edit failed. The latest version isn't currently deployed.");
	}
	const secrets = new Map(worker.newest.secrets);
	if (c.req.method === "DELETE") {
		secrets.delete(c.req.param("secret") ?? "");
	} else {
		const { name, text }: { name: string; text: string } = await c.req.json();
		secrets.set(name, text);
	}
	deploy(worker, upload(worker, { secrets }));
	return respond(c, {});
});

// As if Cloudflare had all static files already.
app.post(`${script}/assets-upload-session`, (c) => respond(c, { jwt: "done", buckets: [] }));
for (const name of ["settings", "script-settings", "subdomain"]) {
	app.all(`${script}/${name}`, (c) => respond(c, {}));
}
app.post(`${script}/versions`, async (c) => {
	const form = await c.req.formData();
	const metadata = await new Response(form.get("metadata")).text();
	const { main_module, bindings, keep_bindings, annotations }: Metadata = JSON.parse(metadata);
	const { secrets } = c.var.worker.newest;
	let namespace = "";
	for (const { type, name, namespace_id } of bindings) {
		if (type === "inherit" && !secrets.has(name)) {
			refuse(400, 10057, `inherit binding '${name}' is invalid`);
		}
		if (name === "PLANTS") namespace = namespace_id ?? "";
	}
	if (!c.var.account.namespaces.has(namespace)) {
		refuse(400, 10041, `KV namespace '${namespace}' not found.`);
	}
	const bundle = await new Response(form.get(main_module)).text();
	const content = { bundle, namespace, message: annotations["workers/message"] };
	// Without "secret_text", a deploy takes the clients' tokens away.
	const kept = keep_bindings.includes("secret_text") ? secrets : new Map();
	return respond(c, describe(upload(c.var.worker, { ...content, secrets: kept })));
});
app.get(`${script}/versions/:version`, (c) => {
	const version = c.var.worker.versions.find(({ id }) => id === c.req.param("version"));
	return respond(c, describe(version ?? refuse(404, 10122, "No such version")));
});
app.post(`${script}/deployments`, async (c) => {
	const { versions, annotations }: NewDeployment = await c.req.json();
	const version = c.var.worker.versions.find(({ id }) => id === versions[0]?.version_id);
	const found = version ?? refuse(404, 10122, "No such version");
	deploy(c.var.worker, found, annotations["workers/message"]);
	return respond(c, {});
});
app.get(`${script}/deployments`, (c) => {
	const deployments = c.var.worker.deployments.map(({ version, message }, index) => ({
		source: "wrangler",
		created_on: new Date(index).toISOString(),
		annotations: { "workers/message": message },
		versions: [{ version_id: version.id, percentage: 100 }],
	}));
	return respond(c, { deployments: deployments.toReversed().slice(0, 10) });
});

/** What the API says of a version. */
function describe({ id, message, namespace, secrets }: Version) {
	const plants = { type: "kv_namespace", name: "PLANTS", namespace_id: namespace };
	const tokens = namesOf(secrets).map((name) => ({ type: "secret_text", ...name }));
	const metadata = { created_on: new Date(0).toISOString(), source: "wrangler" };
	const resources = {
		bindings: [plants, ...tokens],
		script: { handlers: ["fetch"] },
		script_runtime: {},
	};
	return { id, metadata, annotations: { "workers/message": message }, resources };
}

const kv = `${own}/storage/kv/namespaces`;
app.get(kv, (c) => {
	const namespaces = [...c.var.account.namespaces].map(([id, { title }]) => ({ id, title }));
	// Wrangler asks for page after page, until one is empty.
	return respond(c, c.req.query("page") === "2" ? [] : namespaces);
});
app.post(kv, async (c) => {
	const { title }: { title: string } = await c.req.json();
	return respond(c, { ...createNamespace(c.var.account, title), title });
});
app.use(`${kv}/:namespace/*`, async (c, next) => {
	const namespace = c.var.account.namespaces.get(c.req.param("namespace"));
	c.set("plants", namespace?.plants ?? refuse(404, 10013, "namespace not found"));
	await next();
});
app.get(`${kv}/:namespace/keys`, (c) => {
	const prefix = c.req.query("prefix") ?? "";
	const names = namesOf(c.var.plants).filter(({ name }) => name.startsWith(prefix));
	return respond(c, names);
});
app.post(`${kv}/:namespace/bulk/get`, async (c) => {
	const { keys }: { keys: string[] } = await c.req.json();
	const values = keys.map((key) => [key, c.var.plants.get(key) ?? null]);
	return respond(c, { values: Object.fromEntries(values) });
});
app.put(`${kv}/:namespace/bulk`, async (c) => {
	const entries: { key: string; value: string }[] = await c.req.json();
	for (const { key, value } of entries) c.var.plants.set(key, value);
	return respond(c, {});
});
app.delete(`${kv}/:namespace/bulk`, async (c) => {
	const keys: string[] = await c.req.json();
	for (const key of keys) c.var.plants.delete(key);
	return respond(c, {});
});
app.get(`${kv}/:namespace/values/:key`, (c) => {
	const value = c.var.plants.get(c.req.param("key"));
	return c.text(value ?? refuse(404, 10009, "get: 'key not found'"));
});
app.delete(`${kv}/:namespace/values/:key`, (c) => {
	c.var.plants.delete(c.req.param("key"));
	return respond(c, {});
});

app.notFound((c) => {
	c.var.account.unknownRequests.push(`${c.req.method} ${c.req.path}`);
	return refuse(404, 7000, "No route for that URI");
});

/** Starts the API. Returns its base URL. */
export async function startCloudflare(): Promise<string> {
	const address = await listen(async (request, response) => {
		const { method = "", url = "", headers } = request;
		const { authorization = "", "content-type": type = "" } = headers;
		const body = method === "GET" ? null : await buffer(request);
		const sent = { authorization, "content-type": type };
		const answer = await app.request(url, { method, headers: sent, body });
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		response.end(await answer.text());
	});
	return `http://${address}/client/v4`;
}
