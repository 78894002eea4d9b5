/**
 * Edits of a roster's text. Everything else stays as it is, to the character: comments, order, quotes, line ends. Each
 * throws a RosterError if the text cannot be read.
 */

import type { HeaderField, PersonField } from "../fields.ts";
import { type Splice, spliced, unifiedDiff } from "../formats/splices.ts";
import { splitByteOrderMark } from "../formats/text-file.ts";
import { IssueCollector, RosterError, type ValidationIssue } from "../formats/validation.ts";
import { rosterOf } from "../people.ts";
import { formatOf, readLayout } from "../read.ts";
import type { Roster } from "../roster.ts";
import { type Editor, type FieldValue, type NewPerson, newRoster, personValues } from "../write.ts";
import { CsvEditor } from "./csv-edit.ts";
import { yamlEditor } from "./yaml-edit.ts";

export interface TextEdit {
  /** The text after the edit. */
  readonly text: string;
  /** A unified diff; empty if nothing changes. */
  readonly diff: string;
}

/**
 * Sets one field of some people to one value; adds the field or column if it is missing.
 * @throws RosterError also for a key that no person has
 */
export function setField(
  text: string,
  file: string,
  keys: string | readonly string[],
  field: PersonField,
  value: FieldValue,
): TextEdit {
  const named = typeof keys === "string" ? [keys] : keys;
  return setEach(text, file, field, new Map(named.map((key) => [key, value])));
}

/** Sets one field of some people, each to another value. @throws RosterError as `setField` */
export function setEach(
  text: string,
  file: string,
  field: PersonField,
  wanted: ReadonlyMap<string, FieldValue>,
): TextEdit {
  return edited(text, file, ({ editor, roster }) => {
    const rowOf = new Map(roster.people.map((person, row) => [person.key, row]));
    const values = new Map<number, FieldValue>();
    const issues: ValidationIssue[] = [];
    for (const [key, value] of wanted) {
      const row = rowOf.get(key);
      if (row !== undefined) values.set(row, value);
      else issues.push({ line: 0, column: 0, text: `no person has the key ${key}` });
    }
    if (issues.length > 0) throw new RosterError(file, issues);
    return values.size === 0 ? [] : editor.setField(field, values);
  });
}

/** Sets one field of the header; adds it if it is missing. */
export function setHeader(text: string, file: string, field: HeaderField, value: FieldValue): TextEdit {
  return edited(text, file, ({ editor }) => editor.setHeader(field, value));
}

/** Several edits of one text as one. */
export function editedInTurn(
  text: string,
  file: string,
  edits: readonly ((text: string) => TextEdit)[],
): TextEdit {
  const after = edits.reduce((before, edit) => edit(before).text, text);
  return {
    text: after,
    get diff() {
      return unifiedDiff(text, [{ start: 0, end: text.length, text: after }], file);
    },
  };
}

/** Adds people at the end, and counts them in `rows` if the header has that. */
export function addPeople(text: string, file: string, people: readonly NewPerson[]): TextEdit {
  return edited(text, file, ({ editor, roster }) => [
    ...editor.add(people.map(personValues)),
    ...counted(editor, roster, people.length),
  ]);
}

/** Why people cannot be added to a valid roster, by their places in the list; nothing for those who can. */
export function issuesOfAdded(roster: Roster, people: readonly NewPerson[]): Map<number, ValidationIssue[]> {
  const text = newRoster({ ...roster, people: [...roster.people, ...people] }, "csv");
  const issues = new IssueCollector(text);
  const layout = readLayout(text, "csv", issues);
  if (layout !== undefined) rosterOf(roster.file, layout, issues);
  const starts = layout?.rows.map(({ start }) => issues.lines.at(start).line) ?? [];
  const placeOf = ({ line }: ValidationIssue) => starts.findLastIndex((start) => start <= line);
  const found = Map.groupBy(issues.found, (issue) => placeOf(issue) - roster.people.length);
  return new Map([...found].filter(([place]) => place >= 0));
}

/** Removes people, including from the count in `rows`. Ignores keys that no person has. */
export function removePeople(text: string, file: string, keys: Iterable<string>): TextEdit {
  return edited(text, file, ({ editor, roster }) => {
    const gone = new Set(keys);
    const rows = new Set(roster.people.flatMap(({ key }, row) => (gone.has(key) ? [row] : [])));
    return [...editor.remove(rows), ...counted(editor, roster, -rows.size)];
  });
}

interface Opened {
  readonly editor: Editor;
  readonly roster: Roster;
}

function edited(text: string, file: string, edit: (opened: Opened) => readonly Splice[]): TextEdit {
  const { mark, text: body } = splitByteOrderMark(text);
  const splices = edit(openText(body, file));
  return {
    text: mark + spliced(body, splices),
    get diff() {
      return unifiedDiff(body, splices, file);
    },
  };
}

/** An invalid value does not prevent an edit; an invalid form of the text does. */
function openText(text: string, file: string): Opened {
  const issues = new IssueCollector(text);
  const format = formatOf(file);
  const layout = readLayout(text, format, issues);
  if (layout === undefined || issues.found.length > 0) throw new RosterError(file, issues.found);
  const editor =
    layout.form === "csv" ? new CsvEditor(text, layout) : yamlEditor(text, layout, format === "json");
  return { editor, roster: rosterOf(file, layout, new IssueCollector(text)) };
}

/** Changes the count by the difference, so that a wrong count stays as wrong. */
function counted(editor: Editor, { rows }: Roster, change: number): Splice[] {
  return rows === undefined || change === 0 ? [] : editor.setHeader("rows", Math.max(0, rows + change));
}
