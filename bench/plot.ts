// Draws the figures that a picture says better than a table.

const WIDTH = 760;
const BAR = 26;

/** A worker's name, what a create costs it in multiples of the floor, and the size of its bundle in bytes. */
export type Bar = { name: string; ratio: number; gzip: number };

/** An SVG with a bar for each worker. */
export function plot(workers: Bar[], caption: string): string {
	const scale = (WIDTH - 310) / Math.max(...workers.map(({ ratio }) => ratio));
	const bars = workers.map(({ name, ratio, gzip }, index) => {
		const y = 44 + index * BAR;
		const width = ratio * scale;
		const label = `${ratio.toFixed(2)} · ${(gzip / 1024).toFixed(1)} KiB`;
		return `<text x="150" y="${y + 13}" text-anchor="end">${name}</text>
<rect x="158" y="${y}" width="${width.toFixed(1)}" height="18" rx="3" class="${name === "plant-store" ? "ours" : "bar"}"/>
<text x="${(166 + width).toFixed(1)}" y="${y + 13}">${label}</text>`;
	});
	const title = "Instructions a create, × the floor · bundle, gzip";
	const height = 44 + workers.length * BAR + 30;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>${title}</title>
<style>text { fill: #1f2328 } .bar { fill: #8c959f } .ours { fill: #1a7f37 } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #3fb950 } }</style>
<text x="8" y="22" font-weight="600">${title}</text>
${bars.join("\n")}
<text x="8" y="${height - 10}" font-size="11">${caption}</text>
</svg>
`;
}
