/** Screens of a terminal as one SVG, which shows one after the other. */
import type { IBufferCell, IBufferLine } from "@xterm/headless";
import { terminalOf } from "../../setup/screen.ts";

const COLUMNS = 100;
const ROWS = 34;
const CELL_WIDTH = 7.8;
const LINE_HEIGHT = 17;
const PADDING = 14;
const SECONDS_EACH = 10;

export interface Texts {
  readonly title: string;
  readonly description: string;
}

/** @param outputs what each screen gets, with its codes; a longer one scrolls */
export async function drawing(outputs: readonly string[], { title, description }: Texts): Promise<string> {
  const width = COLUMNS * CELL_WIDTH + 2 * PADDING;
  const height = ROWS * LINE_HEIGHT + 2 * PADDING;
  const screens: string[] = [];
  for (const [index, output] of outputs.entries()) {
    screens.push(`<g class="screen" style="animation-delay:${index * SECONDS_EACH}s">`);
    screens.push(...(await linesOf(output)), "</g>");
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${styleFor(outputs.length)}</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...screens,
    "</svg>",
    "",
  ].join("\n");
}

/** Without motion, the last screen stays. The classes are the colors of a terminal by their numbers. */
function styleFor(screens: number): string {
  return `
.page { fill: #ffffff; stroke: #d0d7de; }
text { fill: #1f2328; font: 13px ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.bold { font-weight: 700; }
.c1 { fill: #b3261e; } .c2 { fill: #116329; } .c6 { fill: #0b6b75; }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; stroke: #30363d; }
  text { fill: #e6edf3; }
  .c1 { fill: #ff7b72; } .c2 { fill: #56d364; } .c6 { fill: #56d4dd; }
}
.screen { visibility: hidden; animation: show ${screens * SECONDS_EACH}s step-end infinite; }
@keyframes show { 0% { visibility: visible; } ${100 / screens}% { visibility: hidden; } }
@media (prefers-reduced-motion: reduce) {
  .screen { animation: none; }
  .screen:last-child { visibility: visible; }
}
`;
}

async function linesOf(output: string): Promise<string[]> {
  const terminal = await terminalOf(output, COLUMNS, ROWS);
  const { active } = terminal.buffer;
  const drawn: string[] = [];
  for (let row = 0; row < ROWS; row += 1) {
    const line = active.getLine(active.baseY + row);
    const y = PADDING + row * LINE_HEIGHT + 13;
    if (line !== undefined) drawn.push(...piecesOf(line).map((piece) => textOf(piece, y)));
  }
  terminal.dispose();
  return drawn;
}

interface Piece {
  readonly column: number;
  readonly className: string;
  text: string;
}

/** The parts of a line that look alike. */
function piecesOf(line: IBufferLine): Piece[] {
  const pieces: Piece[] = [];
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const className = classOf(cell);
    const last = pieces.at(-1);
    const text = cell.getChars() || " ";
    if (last?.className === className) last.text += text;
    else pieces.push({ column, className, text });
  }
  return pieces.filter(({ text }) => text.trim() !== "");
}

function classOf(cell: IBufferCell): string {
  const names = [cell.isFgPalette() ? `c${cell.getFgColor()}` : "", cell.isBold() ? "bold" : ""];
  return names.filter((name) => name !== "").join(" ");
}

/** As wide as in the terminal, whichever font the reader has. */
function textOf({ column, className, text }: Piece, y: number): string {
  const start = column + text.length - text.trimStart().length;
  const shown = text.trim();
  const x = round(PADDING + start * CELL_WIDTH);
  const attributes = `x="${x}" y="${y}" textLength="${round(shown.length * CELL_WIDTH)}"`;
  return `<text ${attributes}${className === "" ? "" : ` class="${className}"`}>${escaped(shown)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
