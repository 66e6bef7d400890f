// Clients that create plants one after the other, over connections that stay open.
import { connect } from "node:net";

/** The bearer token that the clients send. */
export const TOKEN = "0123456789abcdef0123456789abcdef";

/** Makes a plant from a number, which is different for each plant. */
export type MakePlant = (number: number) => { id: number | bigint; name: string; tag: string };

const ordinary: MakePlant = (id) => ({ id, name: "Monstera deliciosa", tag: "tropical" });

let count = 0;

/**
 * Creates plants over keep-alive connections, and waits for every answer.
 *
 * @throws Error if a connection fails, or an answer is not 200 with the plant that was sent
 */
export async function load(
	port: number,
	options: { requests: number; clients: number; plant?: MakePlant },
): Promise<void> {
	const { requests, clients, plant = ordinary } = options;
	const head = `POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
	let left = requests;
	const client = () =>
		new Promise<void>((resolve, reject) => {
			const socket = connect(port, "127.0.0.1").setNoDelay(true);
			// In Latin-1, a character is a byte, so its length is comparable with Content-Length.
			let answer = "";
			let expected = "";
			const send = () => {
				if (left-- <= 0) {
					socket.end();
					return resolve();
				}
				const { id, name, tag } = plant(++count);
				const answered = JSON.stringify({ name, tag });
				const body = Buffer.from(`{"id":${id},${answered.slice(1)}`).toString("latin1");
				expected = Buffer.from(answered).toString("latin1");
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
				if (!answer.startsWith("HTTP/1.1 200") || answer.slice(end + 4) !== expected) {
					return reject(new Error(`${answer}\ninstead of ${expected}`));
				}
				answer = "";
				return send();
			});
		});
	await Promise.all(Array.from({ length: clients }, client));
}
