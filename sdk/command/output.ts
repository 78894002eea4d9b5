/** The only place where the command prints: what it prints for others cannot act on the terminal. */
import { visibleLines } from "../../provider/util/text.ts";

/** The colors of color.ts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a color begins with one
const COLORS = /(\x1b\[\d{1,2}m)/;

export function print(text: string): void {
  console.log(shown(text));
}

/** A note beside the output, on standard error. */
export function printNote(text: string): void {
  console.error(shown(text));
}

function shown(text: string): string {
  const parts = text.split(COLORS);
  return parts.map((part, index) => (index % 2 === 1 ? part : visibleLines(part))).join("");
}
