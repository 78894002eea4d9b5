/**
 * Edits of a roster's text. What is not meant stays as it is, to the character: comments, order, quotes, line ends. Each
 * throws a RosterError where the text cannot be read.
 */
import { csvEditor } from "./csv-edit.ts";
import type { HeaderField, PersonField } from "./fields.ts";
import { rosterOf } from "./people.ts";
import { formatOf, readLayout } from "./read.ts";
import type { Roster } from "./roster.ts";
import { type Splice, spliced, unifiedDiff } from "./splices.ts";
import { splitByteOrderMark } from "./text-file.ts";
import { IssueCollector, RosterError, type ValidationIssue } from "./validation.ts";
import { type Editor, type FieldValue, type NewPerson, personValues } from "./write.ts";
import { yamlEditor } from "./yaml-edit.ts";

/**
 * Sets one field of some people to one value; a field or column that is not there yet is added.
 * @throws RosterError also where nobody has one of the keys
 */
export function setField(text: string, file: string, ...field: FieldEdit): string {
  return edited(text, file, (opened) => fieldSplices(opened, file, ...field));
}

/** The edit of `setField` for a person to read, as a unified diff. */
export function fieldEdit(text: string, file: string, ...field: FieldEdit): string {
  const { text: body } = splitByteOrderMark(text);
  return unifiedDiff(body, fieldSplices(openText(body, file), file, ...field), file);
}

type FieldEdit = [keys: string | readonly string[], field: PersonField, value: FieldValue];

function fieldSplices(
  { editor, roster }: Opened,
  file: string,
  ...[keys, field, value]: FieldEdit
): Splice[] {
  const rowOf = new Map(roster.people.map((person, row) => [person.key, row]));
  const values = new Map<number, FieldValue>();
  const issues: ValidationIssue[] = [];
  for (const key of typeof keys === "string" ? [keys] : keys) {
    const row = rowOf.get(key);
    if (row !== undefined) values.set(row, value);
    else issues.push({ line: 0, column: 0, text: `no person has the key ${key}` });
  }
  if (issues.length > 0) throw new RosterError(file, issues);
  return values.size === 0 ? [] : editor.setField(field, values);
}

/** Sets one field of the header; one that is not there yet is added. */
export function setHeader(text: string, file: string, field: HeaderField, value: FieldValue): string {
  return edited(text, file, ({ editor }) => editor.setHeader(field, value));
}

/** `setHeader` with the diff, for a person to read. The diff is empty where nothing changes. */
export function headerEdit(
  text: string,
  file: string,
  field: HeaderField,
  value: FieldValue,
): { readonly text: string; readonly diff: string } {
  const { mark, text: body } = splitByteOrderMark(text);
  const splices = openText(body, file).editor.setHeader(field, value);
  return { text: mark + spliced(body, splices), diff: unifiedDiff(body, splices, file) };
}

/** Adds people at the end, and counts them in `rows` where the header has that. */
export function withPeople(text: string, file: string, people: readonly NewPerson[]): string {
  return edited(text, file, ({ editor, roster }) => [
    ...editor.add(people.map(personValues)),
    ...counted(editor, roster, people.length),
  ]);
}

/** Takes people out, and off `rows` where the header has that. Keys that nobody has are passed by. */
export function withoutPeople(text: string, file: string, keys: Iterable<string>): string {
  return edited(text, file, (opened) => removal(opened, keys));
}

/**
 * The edit of `withoutPeople` for a person to read.
 * @returns a unified diff; empty where nobody has one of the keys
 */
export function removalEdit(text: string, file: string, keys: Iterable<string>): string {
  const { text: body } = splitByteOrderMark(text);
  return unifiedDiff(body, removal(openText(body, file), keys), file);
}

interface Opened {
  readonly editor: Editor;
  readonly roster: Roster;
}

function edited(text: string, file: string, edit: (opened: Opened) => readonly Splice[]): string {
  const { mark, text: body } = splitByteOrderMark(text);
  return mark + spliced(body, edit(openText(body, file)));
}

/** A issue of a value does not stand in the way of an edit; one of the text's form does. */
function openText(text: string, file: string): Opened {
  const issues = new IssueCollector(text);
  const format = formatOf(file);
  const layout = readLayout(text, format, issues);
  if (layout === undefined || issues.found.length > 0) throw new RosterError(file, issues.found);
  const editor =
    layout.form === "csv" ? csvEditor(text, layout) : yamlEditor(text, layout, format === "json");
  return { editor, roster: rosterOf(file, layout, new IssueCollector(text)) };
}

function removal({ editor, roster }: Opened, keys: Iterable<string>): Splice[] {
  const gone = new Set(keys);
  const rows = new Set(roster.people.flatMap(({ key }, row) => (gone.has(key) ? [row] : [])));
  return [...editor.remove(rows), ...counted(editor, roster, -rows.size)];
}

/** By the difference, so that a count that was wrong before stays as wrong. */
function counted(editor: Editor, { rows }: Roster, change: number): Splice[] {
  return rows === undefined || change === 0 ? [] : editor.setHeader("rows", Math.max(0, rows + change));
}
