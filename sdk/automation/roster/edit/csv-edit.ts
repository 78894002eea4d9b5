/** Edits of a roster in CSV. */
import { parseInstant } from "../../../../provider/util/instants.ts";
import { type HeaderField, headerNames, type PersonField } from "../fields.ts";
import { type CsvLayout, settingOf } from "../formats/csv.ts";
import type { CsvRecord } from "../formats/csv-records.ts";
import { type Cell, knownName } from "../formats/layout.ts";
import { insert, lineEndOf, nextLine, type Splice } from "../formats/splices.ts";
import { keyOfRow, rotationLine } from "../rotation-lines.ts";
import { csvLine, type Editor, type FieldValue } from "../write.ts";

type Layout = CsvLayout<HeaderField, PersonField>;

export function csvEditor(text: string, layout: Layout): Editor {
  const { delimiter, names, rows, records, columns } = layout;
  const lineEnd = lineEndOf(text);
  const lineOf = (values: readonly (FieldValue | undefined)[]): string => csvLine(values, delimiter);

  /** A new last column with a value for each row. */
  const addColumn = (field: PersonField, value: (row: number) => FieldValue | undefined): Splice[] =>
    columns === undefined
      ? []
      : [
          insert(columns.end, delimiter + field),
          ...records.map(({ end }, row) => insert(end, delimiter + lineOf([value(row)]))),
        ];

  /** Lines instead of a column, which would change every row; undefined if the column is no larger change. */
  const addRotationLines = (values: ReadonlyMap<number, FieldValue>): Splice[] | undefined => {
    const isFew = values.size * 2 <= rows.length;
    if (!isFew || [...values.values()].some((value) => parseInstant(String(value)) === undefined)) {
      return undefined;
    }
    const lines = [...values].flatMap(([row, value]) => {
      const key = rows[row] && keyOfRow(rows[row]);
      return key === undefined ? [] : [`# rotation of ${key}: ${value}${lineEnd}`];
    });
    return lines.length < values.size ? undefined : [insert(endOfHeader(layout, text), lines.join(""))];
  };

  return {
    setField(field, values) {
      const there = (row: number): Cell | undefined => rows[row]?.cells.get(field);
      const missing = new Map([...values].filter(([row]) => there(row) === undefined));
      const changes = [...values].flatMap(([row, value]) => {
        const cell = there(row);
        const isLine = !names.includes(field);
        if (cell === undefined) return [];
        return [{ start: cell.start, end: cell.end, text: isLine ? String(value) : lineOf([value]) }];
      });
      if (missing.size === 0) return changes;
      const lines = field === "rotation" ? addRotationLines(missing) : undefined;
      return [...changes, ...(lines ?? addColumn(field, (row) => missing.get(row)))];
    },

    remove(gone) {
      const keys = new Set(rows.flatMap((row, place) => (gone.has(place) ? (keyOfRow(row) ?? []) : [])));
      const marks = layout.comments.filter((comment) => keys.has(rotationLine(comment)?.key ?? ""));
      const leaving = records.filter((_, row) => gone.has(row));
      return [...marks, ...leaving].map(({ start, end }) => ({ start, end: nextLine(text, end), text: "" }));
    },

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
      return [insert(endOfHeader(layout, text), `# ${field}: ${value}${lineEnd}`)];
    },
  };
}

/** Where a further line of the header belongs. */
function endOfHeader({ comments, columns }: Layout, text: string): number {
  const last = comments.findLast((comment) => {
    if (columns !== undefined && comment.start > columns.start) return false;
    const name = settingOf(comment)?.name;
    const isField = name !== undefined && knownName(name, { all: headerNames, noun: "", plural: "" });
    return isField || rotationLine(comment) !== undefined;
  });
  return last === undefined ? 0 : nextLine(text, last.end);
}
