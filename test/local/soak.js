// `npm run soak [-- creates]` creates plants in workerd, many clients at once, on ids of their own and on
// one that they share. It checks every answer to the letter and prints the memory that workerd takes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, INSTANT_KV, startWorkerd, until } from "./workerd.js";

const creates = Number(process.argv[2] ?? 200_000);
const CLIENTS = 64;
const token = "soak-token";
const folder = mkdtempSync(join(tmpdir(), "plant-store-soak-"));
const file = bundle("src/index.ts", join(folder, "bundle"));
const { child, port } = await startWorkerd({ folder, file, token, kv: INSTANT_KV });

let left = creates;
let wrong = 0;

/** Creates plants over a connection that stays open, and compares each answer. */
function client(limit) {
	return new Promise((resolve, reject) => {
		const socket = connect(port, "127.0.0.1").setNoDelay(true);
		let answer = "";
		let expected;
		const send = () => {
			if (left <= limit) return resolve(socket.end());
			const number = left--;
			const id = number % 2 ? 7n : 2n ** 53n + BigInt(number);
			expected = `{"name":"Plant ${number}","tag":"🌵"}`;
			const body = Buffer.from(`{"id":${id},${expected.slice(1)}`);
			const head = `POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
			socket.write(Buffer.concat([Buffer.from(head), body]));
		};
		socket.on("connect", send).on("error", reject).setEncoding("utf8");
		socket.on("data", (data) => {
			answer += data;
			if (!answer.endsWith("}")) return;
			const [head, body] = answer.split("\r\n\r\n");
			if (!head.startsWith("HTTP/1.1 200 OK") || body !== expected) {
				if (++wrong <= 10) console.error(`${answer}\ninstead of ${expected}`);
			}
			answer = "";
			send();
		});
	});
}

/** Resident memory of workerd, in MiB. */
const memory = () =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;

await until(
	() =>
		new Promise((resolve, reject) => {
			connect(port, "127.0.0.1").on("connect", resolve).on("error", reject);
		}),
);
const begin = performance.now();
for (let part = 1; part <= 10; part++) {
	const limit = creates - Math.round((creates * part) / 10);
	await Promise.all(Array.from({ length: CLIENTS }, () => client(limit)));
	const seconds = ((performance.now() - begin) / 1000).toFixed(0);
	console.log(
		`${creates - left} creates, ${seconds} s: ${memory().toFixed(0)} MiB, ${wrong} wrong`,
	);
}
child.kill("SIGKILL");
rmSync(folder, { recursive: true });
process.exit(wrong === 0 ? 0 : 1);
