// Clients that create plants one after the other, over connections that stay open.
import { connect } from "node:net";

/** The bearer token that the clients send. */
export const TOKEN = "0123456789abcdef0123456789abcdef";

let nextId = 1;

/**
 * Creates plants over keep-alive connections and waits for every answer.
 *
 * @returns requests a second, and the latencies in ms at the 50th and 99th percentile
 * @throws Error when a connection fails, or an answer is not 200
 */
export async function load(port, { requests, clients, size = 60 }) {
	const tail = `,"name":"${"x".repeat(Math.max(size - 40, 1))}","tag":"tropical"}`;
	const head = `POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
	const latencies = [];
	let left = requests;
	const client = () =>
		new Promise((resolve, reject) => {
			const socket = connect(port, "127.0.0.1").setNoDelay(true);
			let answer = "";
			let sent;
			const send = () => {
				if (left-- <= 0) return resolve(socket.end());
				const body = `{"id":${nextId++}${tail}`;
				sent = performance.now();
				socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
			};
			socket.on("connect", send).on("error", reject).setEncoding("latin1");
			socket.on("close", () => reject(new Error("connection closed")));
			socket.on("data", (data) => {
				answer += data;
				const end = answer.indexOf("\r\n\r\n");
				if (end < 0) return;
				const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
				if (answer.length < end + 4 + length) return;
				if (!answer.startsWith("HTTP/1.1 200")) return reject(new Error(answer));
				latencies.push(performance.now() - sent);
				answer = "";
				send();
			});
		});
	const begin = performance.now();
	await Promise.all(Array.from({ length: clients }, client));
	const seconds = (performance.now() - begin) / 1000;
	latencies.sort((a, b) => a - b);
	const at = (share) => latencies[Math.floor(latencies.length * share)];
	return { rate: requests / seconds, p50: at(0.5), p99: at(0.99) };
}
