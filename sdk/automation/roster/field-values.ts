/** From the texts of some fields to their values. */
import type { z } from "zod";
import type { Cell } from "./layout.ts";
import { type IssueCollector, quoteValue } from "./validation.ts";

/** @returns the fields that can be read; the others are faults */
export function readFields<Read>(
  cells: ReadonlyMap<string, Cell>,
  schema: z.ZodType<Read>,
  faults: IssueCollector,
): Read {
  const texts: Record<string, string> = {};
  for (const [name, { text }] of cells) if (text !== "") texts[name] = text;
  const read = schema.safeParse(texts);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues) {
    const name = String(path[0]);
    const text = texts[name];
    if (text !== undefined) faults.add(cells.get(name)?.start ?? 0, `${quoteValue(text)} ${message}`, name);
    delete texts[name];
  }
  return schema.parse(texts);
}

export function isGiven<Name>(cells: ReadonlyMap<Name, Cell>, name: Name): boolean {
  return (cells.get(name)?.text ?? "") !== "";
}
