/**
 * Edits of a roster's text. Everything else stays as it is, to the character: comments, order, quotes, line ends. Each
 * throws a RosterError if the text cannot be read.
 */

import type { HeaderField, PersonField } from "../fields.ts";
import { isGiven } from "../formats/layout.ts";
import { type FileText, formatOf, type RosterText } from "../formats/roster-text.ts";
import { type Splice, spliced, unifiedDiff } from "../formats/splices.ts";
import { splitByteOrderMark } from "../formats/text-file.ts";
import { IssueCollector, RosterError, type ValidationIssue } from "../formats/validation.ts";
import { rosterOf } from "../people.ts";
import { readLayout } from "../read.ts";
import type { Roster } from "../roster.ts";
import { type Editor, type FieldValue, type NewPerson, newRoster, personValues } from "../write.ts";
import { CsvEditor } from "./csv-edit.ts";
import { yamlEditor } from "./yaml-edit.ts";

/**
 * Sets one field of some people to one value; adds the field or column if it is missing.
 * @throws RosterError also for a key that no person has
 */
export function setField(
  text: RosterText,
  keys: string | readonly string[],
  field: PersonField,
  value: FieldValue,
): RosterText {
  const named = typeof keys === "string" ? [keys] : keys;
  return setEach(text, field, new Map(named.map((key) => [key, value])));
}

/** Sets one field of some people, each to another value. @throws RosterError as `setField` */
export function setEach(
  text: RosterText,
  field: PersonField,
  wanted: ReadonlyMap<string, FieldValue>,
): RosterText {
  const files = text.files.map(openFile);
  const listed = new Set(files.flatMap(({ roster }) => roster.people.map(({ key }) => key)));
  const unknown = [...wanted.keys()].filter((key) => !listed.has(key));
  if (unknown.length > 0) {
    const issueOf = (key: string): ValidationIssue => ({
      line: 0,
      column: 0,
      text: `no person has the key ${key}`,
    });
    throw new RosterError(text.roster, unknown.map(issueOf));
  }
  return edited(text, files, ({ editor, roster }) => {
    const values = roster.people.flatMap(({ key }, row) => {
      const value = wanted.get(key);
      return value === undefined ? [] : [[row, value] as const];
    });
    return values.length === 0 ? [] : editor.setField(field, new Map(values));
  });
}

/** Sets one field of the whole roster; adds it if it is missing. */
export function setHeader(text: RosterText, field: HeaderField, value: FieldValue): RosterText {
  const files = text.files.map(openFile);
  const head = headOf(files);
  return edited(text, files, (one) => (one === head ? one.editor.setHeader(field, value) : []));
}

/**
 * Adds people at the end of a file, and counts them in `rows` if its header has that.
 * @param into one of the files. Default: the one with the settings of the whole roster
 */
export function addPeople(text: RosterText, people: readonly NewPerson[], into?: string): RosterText {
  const files = text.files.map(openFile);
  const target = files.find(({ file }) => file === into) ?? headOf(files);
  return edited(text, files, (one) =>
    one === target
      ? [...one.editor.add(people.map(personValues)), ...counted(one.editor, one.roster, people.length)]
      : [],
  );
}

/** Why people cannot be added to a valid roster, by their places in the list; nothing for those who can. */
export function issuesOfAdded(roster: Roster, people: readonly NewPerson[]): Map<number, ValidationIssue[]> {
  const text = newRoster({ ...roster, people: [...roster.people, ...people] }, "csv");
  const issues = new IssueCollector(text, roster.file, Number.POSITIVE_INFINITY);
  const layout = readLayout(text, "csv", issues);
  const { file } = roster;
  if (layout !== undefined) rosterOf({ roster: file, isFolder: false }, [{ file, layout, issues }]);
  const starts = layout?.rows.map(({ start }) => issues.lines.at(start).line) ?? [];
  const placeOf = ({ line }: ValidationIssue) => starts.findLastIndex((start) => start <= line);
  const found = Map.groupBy(issues.found, (issue) => placeOf(issue) - roster.people.length);
  return new Map([...found].filter(([place]) => place >= 0));
}

/** Removes people, including from the count in `rows`. Ignores keys that no person has. */
export function removePeople(text: RosterText, keys: Iterable<string>): RosterText {
  const gone = new Set(keys);
  return edited(text, text.files.map(openFile), ({ editor, roster }) => {
    const rows = new Set(roster.people.flatMap(({ key }, row) => (gone.has(key) ? [row] : [])));
    return [...editor.remove(rows), ...counted(editor, roster, -rows.size)];
  });
}

interface OpenFile {
  readonly file: string;
  /** The byte order mark. */
  readonly mark: string;
  readonly body: string;
  readonly editor: Editor;
  /** The people and the header of this file. */
  readonly roster: Roster;
  readonly isHead: boolean;
}

function headOf(files: readonly OpenFile[]): OpenFile | undefined {
  return files.find(({ isHead }) => isHead) ?? files[0];
}

function edited(
  text: RosterText,
  files: readonly OpenFile[],
  edit: (file: OpenFile) => readonly Splice[],
): RosterText {
  return {
    ...text,
    files: files.map((one) => ({ file: one.file, text: one.mark + spliced(one.body, edit(one)) })),
  };
}

/** A unified diff of all files; empty if nothing changes. */
export function diffOf(before: RosterText, after: RosterText): string {
  const bodyOf = ({ text }: FileText): string => splitByteOrderMark(text).text;
  const diffs = before.files.map((old, index) =>
    unifiedDiff(bodyOf(old), bodyOf(after.files[index] ?? old), old.file),
  );
  return diffs.join("");
}

/** An invalid value does not prevent an edit; an invalid form of the text does. */
function openFile({ file, text }: FileText): OpenFile {
  const { mark, text: body } = splitByteOrderMark(text);
  const issues = new IssueCollector(body, file);
  const format = formatOf(file);
  const layout = readLayout(body, format, issues);
  if (layout === undefined || issues.found.length > 0) throw new RosterError(file, issues.found);
  const editor =
    layout.form === "csv" ? new CsvEditor(body, layout) : yamlEditor(body, layout, format === "json");
  const content = [{ file, layout, issues: new IssueCollector(body, file) }];
  return {
    ...{ file, mark, body, editor, isHead: isGiven(layout.header, "organization") },
    roster: rosterOf({ roster: file, isFolder: false }, content),
  };
}

/** Changes the count by the difference, so that a wrong count stays as wrong. */
function counted(editor: Editor, { rows }: Roster, change: number): Splice[] {
  return rows === undefined || change === 0 ? [] : editor.setHeader("rows", Math.max(0, rows + change));
}
