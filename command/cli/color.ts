/** Colors on a terminal. */
import { styleText } from "node:util";
import type { TextOptions, Tone } from "../plan/texts/text.ts";

const colors = {
  joining: "green",
  leaving: "red",
  renewing: "cyan",
  failed: "red",
  code: "dim",
} as const satisfies Partial<Record<Tone, Parameters<typeof styleText>[0]>>;

type Output = Pick<NodeJS.WriteStream, "isTTY"> & { hasColors?: () => boolean };

/** Whether a stream gets colors: a terminal that has them, without `NO_COLOR` and `--no-color`. */
export function isColored({ color }: { readonly color?: boolean | undefined }, stream: Output): boolean {
  return color !== false && stream.isTTY === true && stream.hasColors?.() === true;
}

/** The `paint` of a text on this stream; undefined without colors. */
export function painter(
  options: { readonly color?: boolean | undefined },
  stream: Output = process.stdout,
): TextOptions["paint"] {
  if (!isColored(options, stream)) return undefined;
  return (text, tone) => (tone === "other" ? text : styleText(colors[tone], text, { validateStream: false }));
}
