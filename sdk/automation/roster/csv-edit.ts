/** Edits of a roster in CSV. */
import { stringify } from "csv-stringify/sync";
import { type CsvLayout, settingOf } from "./csv.ts";
import type { CsvRecord } from "./csv-records.ts";
import type { Editor } from "./editor.ts";
import type { FieldValue } from "./field-texts.ts";
import { type HeaderField, headerNames, type PersonField } from "./fields.ts";
import { knownName } from "./layout.ts";
import { insert, lineEndOf, nextLine, type Splice } from "./splices.ts";

type Layout = CsvLayout<HeaderField, PersonField>;

export function csvEditor(text: string, layout: Layout): Editor {
  const { delimiter, names, records, columns } = layout;
  const lineEnd = lineEndOf(text);
  const lineOf = (values: readonly (FieldValue | undefined)[]): string => csvLine(values, delimiter);

  /** A new last column; `value` tells what stands in it in each row. */
  const addColumn = (field: PersonField, value: (row: number) => FieldValue | undefined): Splice[] =>
    columns === undefined
      ? []
      : [
          insert(columns.end, delimiter + field),
          ...records.map(({ end }, row) => insert(end, delimiter + lineOf([value(row)]))),
        ];

  return {
    setField(field, values) {
      const column = names.indexOf(field);
      if (column < 0) return addColumn(field, (row) => values.get(row));
      return [...values].flatMap(([row, value]) => {
        const cell = records[row]?.cells[column];
        return cell === undefined ? [] : [{ start: cell.start, end: cell.end, text: lineOf([value]) }];
      });
    },

    remove: (rows) =>
      records
        .filter((_, row) => rows.has(row))
        .map(({ start, end }) => ({ start, end: nextLine(text, end), text: "" })),

    add(people) {
      const last: CsvRecord | undefined = records.at(-1) ?? columns;
      if (last === undefined) return [];
      const missing = new Set(people.flatMap((person) => [...person.keys()]));
      for (const name of names) if (name !== undefined) missing.delete(name);
      const all = [...names, ...missing];
      const lines = people.map((person) => lineOf(all.map((name) => name && person.get(name))));
      const at = nextLine(text, last.end);
      const isCut = at === last.end;
      return [
        ...[...missing].flatMap((field) => addColumn(field, () => undefined)),
        insert(
          at,
          isCut ? lines.map((line) => lineEnd + line).join("") : lines.map((line) => line + lineEnd).join(""),
        ),
      ];
    },

    setHeader(field, value) {
      const cell = layout.header.get(field);
      if (cell !== undefined) return [{ start: cell.start, end: cell.end, text: String(value) }];
      const last = layout.comments.findLast((comment) => {
        const name = settingOf(comment)?.name;
        return name !== undefined && knownName(name, { all: headerNames, noun: "", plural: "" });
      });
      return [insert(last === undefined ? 0 : nextLine(text, last.end), `# ${field}: ${value}${lineEnd}`)];
    },
  };
}

/** One line without its end; `#` at its beginning would make a comment of it. */
export function csvLine(values: readonly (FieldValue | undefined)[], delimiter: string): string {
  const cells = values.map((value) => (typeof value === "boolean" ? (value ? "yes" : "no") : value));
  return stringify([cells], { delimiter, eof: false, quoted_match: /^#|[\r\n]/ });
}
