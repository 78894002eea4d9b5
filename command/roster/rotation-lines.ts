/**
 * `# rotation of ada@acme.example: 2026-11-22T10:00:00Z`: the rotation of one row in a comment line, so that a CSV file
 * without that column changes by one line. It reads as the row's own field.
 */

import { type HeaderField, type PersonField, personSchema } from "./fields.ts";
import { type CsvLayout, contentOf } from "./formats/csv.ts";
import { type Cell, isGiven, type Row } from "./formats/layout.ts";
import type { IssueCollector } from "./formats/validation.ts";

type Layout = CsvLayout<HeaderField, PersonField>;

const PATTERN = /^(rotation\s+of\s+(\S+?)\s*[:=]\s*)(.*)$/is;

/** @returns the key and the mark; undefined for any other comment */
export function rotationLine(comment: Cell): { key: string | undefined; value: Cell } | undefined {
  const content = contentOf(comment);
  const [, before = "", key, text] = PATTERN.exec(content.text) ?? [];
  if (key === undefined || text === undefined) return undefined;
  const start = content.start + before.length;
  return { key: readKey(key), value: { text: text.trim(), start, end: start + text.length } };
}

/** The layout whose rows have the marks of such lines. A line without its row does nothing: the row may be removed. */
export function withRotationLines(layout: Layout, issues: IssueCollector): Layout {
  const lines = new Map<string, Cell>();
  for (const comment of layout.comments) {
    const { key, value } = rotationLine(comment) ?? {};
    if (key === undefined || value === undefined) continue;
    const first = lines.get(key);
    if (first === undefined) lines.set(key, value);
    else issues.addDuplicate(comment.start, `rotation of ${key}`, first.start, "rotation");
  }
  if (lines.size === 0) return layout;
  const rows = layout.rows.map((row) => {
    const line = lines.get(keyOfRow(row) ?? "");
    if (line === undefined) return row;
    if (isGiven(row.cells, "rotation")) {
      const own = row.cells.get("rotation")?.start ?? row.start;
      issues.addDuplicate(own, `rotation of ${keyOfRow(row)}`, line.start, "rotation");
      return row;
    }
    return { ...row, cells: new Map(row.cells).set("rotation", line) };
  });
  return { ...layout, rows };
}

/** The key that a row will have, as far as it can be read. */
export function keyOfRow({ cells }: Row<PersonField>): string | undefined {
  const text = isGiven(cells, "key") ? cells.get("key")?.text : cells.get("email")?.text;
  return text === undefined ? undefined : readKey(text);
}

function readKey(text: string): string | undefined {
  return personSchema.shape.key.safeParse(text).data;
}
