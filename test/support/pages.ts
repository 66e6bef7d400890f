// The code in the documents, found by its place, and which commands have been typed.
import { readFileSync } from "node:fs";

/** A block, or inline code. */
export interface Code {
	/** Where it is, such as `README.md, "Deploy"`. */
	place: string;
	text: string;
}

/** All that has been typed in this file of tests, before placeholders were filled in. */
const typed: string[] = [];

/** Returns the code in a page or, if a heading is given, in that section. */
function readCode(file: string, only?: string): Code[] {
	const sections = readFileSync(file, "utf8").split(/^#+ /m).slice(1);
	return sections.flatMap((section) => {
		const [heading = ""] = section.split("\n", 1);
		if (only !== undefined && heading !== only) return [];
		const found = section.matchAll(/^ *```\w+\n([^]+?)\n *```|`([^`\n]+)`/gm);
		const place = `${file}, "${heading}"`;
		return [...found].map(([, block, inline = ""]) => ({ place, text: (block ?? inline).trim() }));
	});
}

/**
 * Returns the code below a heading that begins with these words: the only one or, if an index is given,
 * the one at this place among several. The same code twice counts once.
 */
export function findCode(file: string, heading: string, start: string, index?: number): Code {
	const codes = readCode(file, heading);
	const texts = new Set(codes.map(({ text }) => text).filter((text) => text.startsWith(start)));
	const text = [...texts][index ?? 0];
	const place = `${file}, "${heading}"`;
	if (text === undefined) throw new Error(`${place} has no code that begins with: ${start}`);
	if (index === undefined && texts.size > 1) {
		throw new Error(`${place} has several that begin with ${start}: ${[...texts].join(" and ")}`);
	}
	return { place, text };
}

/** Puts values in place of placeholders. Throws if a value is missing, or is one too many. */
export function fill({ place, text }: Code, values: Record<string, string>): string {
	typed.push(text);
	let command = text;
	for (const [placeholder, value] of Object.entries(values)) {
		if (!text.includes(placeholder)) throw new Error(`${place} has no ${placeholder}: ${text}`);
		command = command.replaceAll(placeholder, value);
	}
	const [left] = /<[\w-]+>/.exec(command) ?? [];
	if (left) throw new Error(`${place} has ${left}, for which there is no value: ${text}`);
	return command;
}

/** Returns the commands in a page, or in one section of it, that have not been typed. */
export function untypedCommands(file: string, heading?: string): string[] {
	const commands = readCode(file, heading).filter(({ text }) =>
		/(?:^|[\s(])(?:npm|npx|git|scp) \S/.test(text),
	);
	const untyped = commands.filter(({ text }) => !typed.some((other) => other.includes(text)));
	return [...new Set(untyped.map(({ text }) => text))];
}
