// Takes the place of Wrangler while a test backs up or restores. In the home, kv.json has the plants in
// KV, and calls.txt the calls so far.
import * as fs from "node:fs";
import { setTimeout } from "node:timers/promises";

export type Kv = Record<string, string>;
export type Fault = keyof typeof faults;

const home = process.env["HOME"];
const [, , , , verb = "", path = ""] = process.argv;
fs.appendFileSync(`${home}/calls.txt`, `${process.argv.slice(2).join(" ")}\n`);
/** The number of calls with this verb so far. */
const number = fs.readFileSync(`${home}/calls.txt`, "utf8").split(` ${verb} `).length - 1;
const kv: Kv = JSON.parse(fs.readFileSync(`${home}/kv.json`, "utf8"));
process.on("exit", () => fs.writeFileSync(`${home}/kv.json`, JSON.stringify(kv)));

/** What can happen before a call does its work. */
const faults = {
	fail() {
		throw new Error("refused");
	},
	/** Ends as Wrangler does if its process is killed: its starter exits with 0. */
	end() {
		process.exit(0);
	},
	/** Sends the script a signal, and waits until it has ended. */
	async interrupt() {
		const script = process.ppid;
		process.kill(script, "SIGTERM");
		while (process.ppid === script) await setTimeout(10);
	},
	deletePlant() {
		delete kv["1"];
	},
	createPlant() {
		kv["1"] = "by a client";
	},
	createPlantAndFail() {
		kv["1"] = "by a client";
		throw new Error("refused");
	},
};
// Read before a fault, which may end the script, and so remove its files.
const items = verb === "list" ? [] : JSON.parse(fs.readFileSync(path, "utf8"));
// FAULT is a Fault. BEFORE matches the verb and the number of the calls before which it happens.
const { FAULT, BEFORE = "" } = process.env;
if (FAULT && new RegExp(BEFORE).test(`${verb} ${number}`)) await faults[FAULT as Fault]();

const respond = (value: object) => console.log(JSON.stringify(value, null, 2));
if (items.length > 100) throw new Error("A maximum of 100 keys.");
console.log("There is a newer version of Wrangler available.");
if (verb === "list") respond(Object.keys(kv).map((name) => ({ name })));
if (verb === "get") respond(Object.fromEntries(items.map((key: string) => [key, kv[key] ?? null])));
if (verb === "put") {
	for (const { key, value } of items) kv[key] = value;
	console.log("Success!");
}
