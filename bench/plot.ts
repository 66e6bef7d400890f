// Draws the chart in README.md, with a bar for each Worker.

/** A Worker, the cost of a create in it relative to another Worker, and the size of its bundle, with the unit. */
type Bar = { name: string; ratio: number; size: string };

/** All lengths are in pixels. */
const WIDTH = 760;
const NAME_WIDTH = 220;
const VALUE_WIDTH = 120;
const TITLE_HEIGHT = 44;
const ROW_HEIGHT = 26;

/** Draws an SVG. Its text is readable in light mode and in dark mode. */
export function plot(title: string, bars: Bar[]): string {
	const longest = Math.max(...bars.map(({ ratio }) => ratio));
	const scale = (WIDTH - NAME_WIDTH - VALUE_WIDTH) / longest;
	const rows = bars.map(({ name, ratio, size }, index) => {
		const y = TITLE_HEIGHT + index * ROW_HEIGHT;
		const width = ratio * scale;
		return `<text x="${NAME_WIDTH - 8}" y="${y + 13}" text-anchor="end">${name}</text>
<rect x="${NAME_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="18" rx="3"/>
<text x="${(NAME_WIDTH + 8 + width).toFixed(1)}" y="${y + 13}">${ratio.toFixed(2)} · ${size}</text>`;
	});
	const height = TITLE_HEIGHT + bars.length * ROW_HEIGHT;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>${title}</title>
<style>text { fill: #1f2328 } rect { fill: #8c959f } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }</style>
<text x="8" y="22" font-weight="600">${title}</text>
${rows.join("\n")}
</svg>
`;
}
