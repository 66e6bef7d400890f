// The code in the documents, found by its place, and which commands have been typed.
import { readFileSync } from "node:fs";

/** A block, or inline code. */
interface Code {
	/** Where it is, such as `README.md, "Deploy"`. */
	place: string;
	text: string;
}

/** All that has been typed in this file of tests, before placeholders were filled in. */
const typed: string[] = [];

/** Returns the code in a page or, if a heading is given, in that section. */
function readCode(page: string, only?: string): Code[] {
	const sections = readFileSync(page, "utf8").split(/^#+ /m).slice(1);
	return sections.flatMap((section) => {
		const [heading = ""] = section.split("\n", 1);
		if (only !== undefined && heading !== only) return [];
		const found = section.matchAll(/^ *```\w+\n([^]+?)\n *```|`([^`\n]+)`/gm);
		const place = `${page}, "${heading}"`;
		return [...found].map(([, block, inline = ""]) => ({ place, text: (block ?? inline).trim() }));
	});
}

/** Returns the code that is this text, or the only one that begins with it, below a heading. */
export function findCode(page: string, heading: string, start: string): Code {
	// `npm run deploy` is not the beginning of `npm run deploy:untested`.
	const begins = (text: string) =>
		text.startsWith(start) && !/^[\w:]/.test(text.slice(start.length));
	const texts = readCode(page, heading).map(({ text }) => text);
	const found = new Set(texts.includes(start) ? [start] : texts.filter(begins));
	const place = `${page}, "${heading}"`;
	if (found.size > 1) {
		throw new Error(`${place} has several that begin with ${start}: ${[...found].join(" and ")}`);
	}
	const [text] = found;
	if (text !== undefined) return { place, text };
	throw new Error(`${place} has no code that begins with: ${start}`);
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

/** Returns the commands npm, npx, git, scp, export and unset in a page, or in one section of it. */
const commandsIn = (page: string, heading?: string) =>
	readCode(page, heading).filter(({ text }) =>
		/(?:^|[\s(])(?:npm|npx|git|scp|export|unset) \S/.test(text),
	);

/** What to do about an untyped command. */
export const untypedHint =
	"type it in a scene, or list it here with the reason. (Run alone, this test lacks what the scenes type.)";

/** Returns those that have not been typed. */
export function untypedCommands(page: string, heading?: string): string[] {
	const untyped = commandsIn(page, heading).filter(({ text }) => !typed.includes(text));
	return [...new Set(untyped.map(({ text }) => text))];
}

/** Returns those of several lines in which a command runs although the one before it has failed. */
export const unguardedCommands = (page: string, heading?: string) =>
	commandsIn(page, heading).filter(({ text }) => /(?<!&&|do|\\)\n(?! *done)/.test(text));
