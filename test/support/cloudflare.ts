// A small Cloudflare: accounts in memory, behind that part of the API which Wrangler needs for the
// commands in the documents. https://developers.cloudflare.com/api/
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What an upload brings: the bundle, the id of the namespace of PLANTS, and the values of secrets. */
interface Content {
	code: string;
	namespace: string;
	secrets: Map<string, string>;
	/** The message of the deploy. A change of a secret has none. */
	message?: string | undefined;
}
type Version = Content & { id: string; created: string };
type Deployment = { version: Version; created: string; message: string | undefined };
/** A Worker. Its lists begin with the oldest. */
export interface Worker {
	live: Version;
	newest: Version;
	versions: Version[];
	deployments: Deployment[];
}
export interface Account {
	id: string;
	/** The API token that is accepted. */
	apiToken: string;
	/** API tokens that were accepted before. */
	rolledTokens: string[];
	workers: Map<string, Worker>;
	/** The namespaces of KV, by their ids. */
	namespaces: Map<string, { title: string; plants: Map<string, string> }>;
	/** The requests for which there is no route here. */
	unknownRequests: string[];
}

const accounts: Account[] = [];
const newId = () => randomUUID().replaceAll("-", "");
let time = Date.now();

/** Returns a time that is later than all before: Wrangler sorts by it. */
function nextTime(): string {
	time += 1000;
	return new Date(time).toISOString();
}

/** Opens an account, which has nothing in it. */
export function openAccount(): Account {
	const account = {
		id: newId(),
		apiToken: newId(),
		rolledTokens: [],
		workers: new Map(),
		namespaces: new Map(),
		unknownRequests: [],
	};
	accounts.push(account);
	return account;
}

/** Makes a namespace of KV. Returns its id. */
export function createNamespace(account: Account, title: string, plants?: Map<string, string>) {
	const id = newId();
	account.namespaces.set(id, { title, plants: plants ?? new Map() });
	return id;
}

/** Makes a Worker, which has this content. */
export function createWorker(account: Account, name: string, content: Content): Worker {
	const version = { ...content, id: randomUUID(), created: nextTime() };
	const worker = { live: version, newest: version, versions: [version], deployments: [] };
	account.workers.set(name, worker);
	deploy(worker, version, version.message);
	return worker;
}

/** Adds a version: the newest one, with changes. */
export function upload(worker: Worker, changes: Partial<Content>): Version {
	const { message: _old, ...content } = worker.newest;
	worker.newest = { ...content, ...changes, id: randomUUID(), created: nextTime() };
	worker.versions.push(worker.newest);
	return worker.newest;
}

/** Makes a version live. */
export function deploy(worker: Worker, version: Version, message: string | undefined) {
	worker.live = version;
	worker.deployments.push({ version, message, created: nextTime() });
}

/** Uploads a version with these secrets, and makes it live. */
function deploySecrets(worker: Worker, secrets: Map<string, string>) {
	if (worker.live !== worker.newest) {
		refuse(400, 10215, "Secret edit failed. The latest version isn't currently deployed.");
	}
	deploy(worker, upload(worker, { secrets }), undefined);
}

function refuse(status: ContentfulStatusCode, code: number, message: string): never {
	throw new HTTPException(status, { message, cause: code });
}

type Variables = { account: Account; worker: Worker; plants: Map<string, string> };
const app = new Hono<{ Variables: Variables }>().basePath("/client/v4");

const respond = (c: Context, result: unknown) =>
	c.json({ success: true, errors: [], messages: [], result, result_info: { cursor: "" } });

app.onError((exception, c) => {
	const { status, cause } =
		exception instanceof HTTPException ? exception : { status: 500 as const };
	const errors = [{ code: cause ?? 1, message: exception.message }];
	return c.json({ success: false, errors, messages: [], result: null }, status);
});

app.use(async (c, next) => {
	const [, token = ""] = c.req.header("Authorization")?.split(" ") ?? [];
	const isRolled = accounts.some(({ rolledTokens }) => rolledTokens.includes(token));
	if (isRolled) refuse(403, 9109, "Invalid access token");
	const account = accounts.find(({ apiToken }) => apiToken === token);
	c.set("account", account ?? refuse(403, 10000, "Authentication error"));
	await next();
});
app.get("/user/tokens/verify", (c) => respond(c, { id: "token", status: "active" }));
app.get("/user", (c) => respond(c, { id: "user", email: "a@example.com" }));
app.get("/accounts", (c) => respond(c, [{ id: c.var.account.id, name: "Plants" }]));
app.get("/memberships", (c) => {
	const { id } = c.var.account;
	return respond(c, [{ id, account: { id, name: "Plants" } }]);
});

const own = "/accounts/:account";
app.use(`${own}/*`, async (c, next) => {
	if (c.req.param("account") !== c.var.account.id) refuse(403, 10000, "Authentication error");
	await next();
});
app.get(`${own}/workers/services/:name`, (c) => {
	const isThere = c.var.account.workers.has(c.req.param("name"));
	if (!isThere) refuse(404, 10090, "This service does not exist on your account.");
	const script = { last_deployed_from: "wrangler" };
	return respond(c, { default_environment: { environment: "production", script } });
});
app.get(`${own}/workers/workers/:name`, (c) => {
	const url = `https://${c.req.param("name")}.example.workers.dev`;
	return respond(c, { id: newId(), subdomain: { enabled: true, previews_enabled: false, url } });
});

const script = `${own}/workers/scripts/:name`;
app.put(script, (c) => {
	const content = { code: "", namespace: "", secrets: new Map() };
	createWorker(c.var.account, c.req.param("name"), content);
	return respond(c, {});
});
app.use(`${script}/*`, async (c, next) => {
	const worker = c.var.account.workers.get(c.req.param("name"));
	c.set("worker", worker ?? refuse(404, 10007, "This Worker does not exist on your account."));
	await next();
});
app.get(`${script}/secrets`, (c) => {
	const names = [...c.var.worker.newest.secrets.keys()];
	return respond(
		c,
		names.map((name) => ({ name, type: "secret_text" })),
	);
});
app.put(`${script}/secrets`, async (c) => {
	const { name, text } = await c.req.json();
	deploySecrets(c.var.worker, new Map(c.var.worker.newest.secrets).set(name, text));
	return respond(c, { name, type: "secret_text" });
});
app.delete(`${script}/secrets/:secret`, (c) => {
	const others = new Map(c.var.worker.newest.secrets);
	others.delete(c.req.param("secret"));
	deploySecrets(c.var.worker, others);
	return respond(c, null);
});

app.get(`${script}/settings`, (c) => respond(c, { bindings: bindingsOf(c.var.worker.newest) }));
app.patch(`${script}/script-settings`, (c) => respond(c, {}));
app.post(`${script}/subdomain`, (c) => respond(c, { enabled: true, previews_enabled: false }));
// As if Cloudflare had all static files already.
app.post(`${script}/assets-upload-session`, (c) => respond(c, { jwt: "done", buckets: [] }));
app.get(`${script}/versions`, (c) => respond(c, { items: c.var.worker.versions.map(describe) }));
app.get(`${script}/versions/:version`, (c) => {
	const version = c.var.worker.versions.find(({ id }) => id === c.req.param("version"));
	return respond(c, describe(version ?? refuse(404, 10122, "No such version")));
});
app.post(`${script}/versions`, async (c) => {
	const form = await c.req.formData();
	const { main_module, bindings, annotations }: Metadata = JSON.parse(
		await new Response(form.get("metadata")).text(),
	);
	const missing = bindings.find(
		({ type, name }) => type === "inherit" && !c.var.worker.newest.secrets.has(name),
	);
	if (missing) refuse(400, 10057, `inherit binding '${missing.name}' is invalid`);
	const namespace = bindings.find(({ name }) => name === "PLANTS")?.namespace_id ?? "";
	if (!c.var.account.namespaces.has(namespace)) {
		refuse(400, 10041, `KV namespace '${namespace}' not found.`);
	}
	const code = await new Response(form.get(main_module)).text();
	const message = annotations["workers/message"];
	return respond(c, describe(upload(c.var.worker, { code, namespace, message })));
});
app.get(`${script}/deployments`, (c) => {
	const deployments = c.var.worker.deployments.slice(-10).map(({ version, message, created }) => ({
		id: version.id,
		source: "wrangler",
		author_email: "a@example.com",
		created_on: created,
		annotations: { "workers/message": message },
		versions: [{ version_id: version.id, percentage: 100 }],
	}));
	return respond(c, { deployments: deployments.toReversed() });
});
app.post(`${script}/deployments`, async (c) => {
	const { versions, annotations } = await c.req.json();
	const version = c.var.worker.versions.find(({ id }) => id === versions[0].version_id);
	deploy(
		c.var.worker,
		version ?? refuse(404, 10122, "No such version"),
		annotations["workers/message"],
	);
	return respond(c, { id: newId() });
});

/** What an upload says of a version. */
interface Metadata {
	main_module: string;
	bindings: { type: string; name: string; namespace_id?: string }[];
	annotations: { "workers/message"?: string };
}

const bindingsOf = ({ namespace, secrets }: Version) => [
	{ type: "kv_namespace", name: "PLANTS", namespace_id: namespace },
	...[...secrets.keys()].map((name) => ({ type: "secret_text", name })),
];

/** How the API shows a version. */
const describe = (version: Version) => ({
	id: version.id,
	metadata: { created_on: version.created, source: "wrangler", author_email: "a@example.com" },
	annotations: {
		"workers/message": version.message,
		"workers/triggered_by": version.message === undefined ? "secret" : "upload",
	},
	resources: { bindings: bindingsOf(version), script: { handlers: ["fetch"] }, script_runtime: {} },
	startup_time_ms: 1,
});

// KV.
const kv = `${own}/storage/kv/namespaces`;
app.get(kv, (c) => {
	const namespaces = [...c.var.account.namespaces].map(([id, { title }]) => ({ id, title }));
	// Wrangler asks for page after page, until one is empty.
	return respond(c, c.req.query("page") === "2" ? [] : namespaces);
});
app.post(kv, async (c) => {
	const { title } = await c.req.json();
	return respond(c, { id: createNamespace(c.var.account, title), title });
});
app.use(`${kv}/:namespace/*`, async (c, next) => {
	const namespace = c.var.account.namespaces.get(c.req.param("namespace"));
	c.set("plants", namespace?.plants ?? refuse(404, 10013, "namespace not found"));
	await next();
});
app.get(`${kv}/:namespace/keys`, (c) => {
	const prefix = c.req.query("prefix") ?? "";
	const keys = [...c.var.plants.keys()].filter((key) => key.startsWith(prefix));
	return respond(
		c,
		keys.map((name) => ({ name })),
	);
});
app.post(`${kv}/:namespace/bulk/get`, async (c) => {
	const { keys }: { keys: string[] } = await c.req.json();
	const values = keys.map((key) => [key, c.var.plants.get(key) ?? null]);
	return respond(c, { values: Object.fromEntries(values) });
});
app.put(`${kv}/:namespace/bulk`, async (c) => {
	const entries: { key: string; value: string }[] = await c.req.json();
	for (const { key, value } of entries) c.var.plants.set(key, value);
	return respond(c, { unsuccessful_keys: [] });
});
app.delete(`${kv}/:namespace/bulk`, async (c) => {
	const keys: string[] = await c.req.json();
	for (const key of keys) c.var.plants.delete(key);
	return respond(c, { unsuccessful_keys: [] });
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

/** Passes a request of Node's on to the app. */
async function handle(request: IncomingMessage, response: ServerResponse) {
	const { method = "", url = "", headersDistinct } = request;
	const headers = Object.entries(headersDistinct).map(([name, values]) => [
		name,
		values?.join() ?? "",
	]);
	const body = await buffer(request);
	const init = {
		method,
		headers: Object.fromEntries(headers),
		body: body.length > 0 ? body : null,
	};
	const answer = await app.request(url, init);
	response.writeHead(answer.status, Object.fromEntries(answer.headers));
	response.end(await answer.text());
}

/** Starts the API on a free port of 127.0.0.1. Returns its base URL. */
export async function listen(): Promise<string> {
	const server = createServer(handle);
	await once(server.listen(0, "127.0.0.1"), "listening");
	server.unref();
	// Unlike that of a Unix socket, the address of a TCP server is an object.
	const { port } = server.address() as AddressInfo;
	return `http://127.0.0.1:${port}/client/v4`;
}
