// Clients that create plants one after the other, over connections that stay open.
import { connect } from "node:net";

/** The bearer token that the clients send. */
export const TOKEN = "0123456789abcdef0123456789abcdef";

/** Makes the plant to create from a number that is new at each call. */
export type MakePlant = (number: number) => { id: number | bigint; name: string; tag: string };

/** Requests a second, and latencies in ms. */
export type Load = { rate: number; p50: number; p99: number };

let count = 0;

/**
 * Creates plants over keep-alive connections, and waits for every answer.
 *
 * @throws Error when a connection fails, or an answer is not 200 with this plant
 */
export async function load(
	port: number,
	options: { requests: number; clients: number; plant?: MakePlant },
): Promise<Load> {
	const { requests, clients, plant = ofSize(60) } = options;
	const head = `POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
	const latencies: number[] = [];
	let left = requests;
	const client = () =>
		new Promise<void>((resolve, reject) => {
			const socket = connect(port, "127.0.0.1").setNoDelay(true);
			// In Latin-1, a character is a byte, so that lengths agree with Content-Length.
			let answer = "";
			let expected = "";
			let sent = 0;
			const send = () => {
				if (left-- <= 0) {
					socket.end();
					return resolve();
				}
				const { id, name, tag } = plant(++count);
				const answered = JSON.stringify({ name, tag });
				const body = Buffer.from(`{"id":${id},${answered.slice(1)}`).toString("latin1");
				expected = Buffer.from(answered).toString("latin1");
				sent = performance.now();
				socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`, "latin1");
			};
			socket.on("connect", send).on("error", reject).setEncoding("latin1");
			socket.on("close", () => reject(new Error("connection closed")));
			socket.on("data", (data: string) => {
				answer += data;
				const end = answer.indexOf("\r\n\r\n");
				if (end < 0) return;
				const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
				if (answer.length < end + 4 + length) return;
				latencies.push(performance.now() - sent);
				if (!answer.startsWith("HTTP/1.1 200") || answer.slice(end + 4) !== expected) {
					return reject(new Error(`${answer}\ninstead of ${expected}`));
				}
				answer = "";
				return send();
			});
		});
	const begin = performance.now();
	await Promise.all(Array.from({ length: clients }, client));
	const seconds = (performance.now() - begin) / 1000;
	latencies.sort((a, b) => a - b);
	const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
	return { rate: requests / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Plants of about so many bytes in JSON, each with an id of its own. */
export function ofSize(bytes: number): MakePlant {
	const name = "x".repeat(Math.max(bytes - 40, 1));
	return (id) => ({ id, name, tag: "tropical" });
}
