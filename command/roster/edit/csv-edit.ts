/** Edits of a roster in CSV. */
import { parseInstant } from "../../../provider/util/instants.ts";
import { type HeaderField, headerNames, type PersonField } from "../fields.ts";
import { type CsvLayout, settingOf } from "../formats/csv.ts";
import type { CsvRecord } from "../formats/csv-records.ts";
import { type Cell, knownName } from "../formats/layout.ts";
import { insert, lineEndOf, nextLine, type Splice } from "../formats/splices.ts";
import { keyOfRow, rotationLine } from "../rotation-lines.ts";
import { csvLine, type Editor, type FieldValue, type PersonValues } from "../write.ts";

type Layout = CsvLayout<HeaderField, PersonField>;

export class CsvEditor implements Editor {
  readonly #text: string;
  readonly #layout: Layout;
  readonly #lineEnd: string;

  constructor(text: string, layout: Layout) {
    this.#text = text;
    this.#layout = layout;
    this.#lineEnd = lineEndOf(text);
  }

  setField(field: PersonField, values: ReadonlyMap<number, FieldValue>): Splice[] {
    const { names, rows } = this.#layout;
    const there = (row: number): Cell | undefined => rows[row]?.cells.get(field);
    const missing = new Map([...values].filter(([row]) => there(row) === undefined));
    const changes = [...values].flatMap(([row, value]) => {
      const cell = there(row);
      const isLine = !names.includes(field);
      if (cell === undefined) return [];
      return [{ start: cell.start, end: cell.end, text: isLine ? String(value) : this.#lineOf([value]) }];
    });
    if (missing.size === 0) return changes;
    const lines = field === "rotation" ? this.#addRotationLines(missing) : undefined;
    return [...changes, ...(lines ?? this.#addColumn(field, (row) => missing.get(row)))];
  }

  remove(gone: ReadonlySet<number>): Splice[] {
    const { rows, comments, records } = this.#layout;
    const keys = new Set(rows.flatMap((row, place) => (gone.has(place) ? (keyOfRow(row) ?? []) : [])));
    const marks = comments.filter((comment) => keys.has(rotationLine(comment)?.key ?? ""));
    const leaving = records.filter((_, row) => gone.has(row));
    return [...marks, ...leaving].map(({ start, end }) => ({
      start,
      end: nextLine(this.#text, end),
      text: "",
    }));
  }

  add(people: readonly PersonValues[]): Splice[] {
    const { names, records, columns } = this.#layout;
    const last: CsvRecord | undefined = records.at(-1) ?? columns;
    if (last === undefined) return [];
    const missing = new Set(people.flatMap((person) => [...person.keys()]));
    for (const name of names) if (name !== undefined) missing.delete(name);
    const all = [...names, ...missing];
    const lines = people.map((person) => this.#lineOf(all.map((name) => name && person.get(name))));
    const at = nextLine(this.#text, last.end);
    const isCut = at === last.end;
    const added = lines.map((line) => (isCut ? this.#lineEnd + line : line + this.#lineEnd)).join("");
    return [...[...missing].flatMap((field) => this.#addColumn(field, () => undefined)), insert(at, added)];
  }

  setHeader(field: HeaderField, value: FieldValue): Splice[] {
    const cell = this.#layout.header.get(field);
    if (cell?.text === "" && value !== "") {
      // The blanks of an empty value stand behind it.
      const blanks = /^[ \t]*/.exec(this.#text.slice(cell.end))?.[0].length ?? 0;
      return [{ start: cell.start, end: cell.end + blanks, text: ` ${value}` }];
    }
    if (cell !== undefined) return [{ start: cell.start, end: cell.end, text: String(value) }];
    return [insert(this.#endOfHeader, `# ${field}: ${value}${this.#lineEnd}`)];
  }

  #lineOf(values: readonly (FieldValue | undefined)[]): string {
    return csvLine(values, this.#layout.delimiter);
  }

  /** A new last column with a value for each row. */
  #addColumn(field: PersonField, value: (row: number) => FieldValue | undefined): Splice[] {
    const { columns, delimiter, records } = this.#layout;
    if (columns === undefined) return [];
    return [
      insert(columns.end, delimiter + field),
      ...records.map(({ end }, row) => insert(end, delimiter + this.#lineOf([value(row)]))),
    ];
  }

  /**
   * Lines instead of a column, which would change every row; undefined if the column is not a larger change, or a line would
   * not be read as it is meant: a key can contain a separator.
   */
  #addRotationLines(values: ReadonlyMap<number, FieldValue>): Splice[] | undefined {
    const { rows } = this.#layout;
    const isFew = values.size * 2 <= rows.length;
    if (!isFew || [...values.values()].some((value) => parseInstant(String(value)) === undefined)) {
      return undefined;
    }
    const lines = [...values].flatMap(([row, value]) => {
      const key = rows[row] && keyOfRow(rows[row]);
      const text = `# rotation of ${key}: ${value}`;
      const isRead = key !== undefined && rotationLine({ text, start: 0, end: text.length })?.key === key;
      return isRead ? text + this.#lineEnd : [];
    });
    return lines.length < values.size ? undefined : [insert(this.#endOfHeader, lines.join(""))];
  }

  /** Where a further line of the header belongs. */
  get #endOfHeader(): number {
    const { comments, columns, begin } = this.#layout;
    const last = comments.findLast((comment) => {
      if (columns !== undefined && comment.start > columns.start) return false;
      const name = settingOf(comment)?.name;
      const isField = name !== undefined && knownName(name, { all: headerNames, noun: "", plural: "" });
      return isField || rotationLine(comment) !== undefined;
    });
    return last === undefined ? begin : nextLine(this.#text, last.end);
  }
}
