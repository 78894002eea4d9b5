/** Reads a roster: CSV, YAML, or JSON, by the ending of each file. */
import { grouped } from "../../provider/util/text.ts";
import { type HeaderField, headerNames, type PersonField, personNames } from "./fields.ts";
import { type CsvLayout, parseCsv } from "./formats/csv.ts";
import type { Names } from "./formats/layout.ts";
import {
  formatOf,
  oneFile,
  type RosterFormat,
  type RosterText,
  readRosterText,
} from "./formats/roster-text.ts";
import { whereJsonBreaks } from "./formats/strict-json.ts";
import { readText, splitByteOrderMark } from "./formats/text-file.ts";
import { IssueCollector, RosterError, SPLIT } from "./formats/validation.ts";
import { parseYaml, type YamlLayout } from "./formats/yaml.ts";
import { type ReadContext, rosterOf } from "./people.ts";
import type { Roster, RosterPerson } from "./roster.ts";
import { withRotationLines } from "./rotation-lines.ts";

type RosterLayout = CsvLayout<HeaderField, PersonField> | YamlLayout<HeaderField, PersonField>;

const headerFieldNames: Names<HeaderField> = {
  all: headerNames,
  noun: "field of the header",
  plural: "fields of the header",
};
const columnNames: Names<PersonField> = { all: personNames, noun: "column", plural: "columns" };
const personFieldNames: Names<PersonField> = {
  all: personNames,
  lists: new Set(["recipients"]),
  noun: "field of a person",
  plural: "fields of a person",
};

/** Of a file. */
const MOST_PEOPLE = 50_000;

/**
 * Reads a roster: a file, or all files of a folder and below.
 * @param now milliseconds since 1970; a subscription that had ended by then is an error. Default: any date is good
 * @throws RosterError with all its errors
 */
export async function readRoster(file: string, now?: number): Promise<Roster> {
  return rosterIn(await readRosterText(file), { now });
}

/**
 * Reads a list of people that need not be a whole roster: its form is the same, and its organization may be left out.
 * @param mustSaySeat whether an empty `seat` is an error, because nothing can tell
 * @throws RosterError with all its errors, another organization than the expected one too
 */
export async function readPeople(
  file: string,
  organizationId: string,
  mustSaySeat = false,
): Promise<readonly RosterPerson[]> {
  formatOf(file);
  const roster = rosterIn(oneFile(await readText(file), file), { organizationId, mustSaySeat });
  if (roster.organizationId === organizationId) return roster.people;
  const text = `expected people of organization ${organizationId}, found people of ${roster.organizationId}`;
  throw new RosterError(file, [{ line: 0, column: 0, text }]);
}

/**
 * Reads a roster's text. A wrong `rows` in the header is not an issue, nor is a roster without people.
 * @param file the name of the text; its ending gives the format
 * @throws RosterError with all its errors
 */
export function parseRoster(text: string, file: string): Roster {
  return rosterIn(oneFile(text, file));
}

/** Reads all files of a roster. @throws RosterError with all their errors */
export function rosterIn(text: RosterText, known: ReadContext = {}): Roster {
  const read = text.files.map(({ file, text }) => {
    const { text: body } = splitByteOrderMark(text);
    const issues = new IssueCollector(body, file);
    return { file, issues, layout: readLayout(body, formatOf(file), issues) };
  });
  const files = read.flatMap(({ layout, ...one }) => (layout === undefined ? [] : { ...one, layout }));
  const roster = files.length < read.length ? undefined : rosterOf(text, files, known);
  const found = read.flatMap(({ file, issues }) =>
    text.isFolder ? issues.found.map((issue) => ({ ...issue, file })) : issues.found,
  );
  if (roster === undefined || found.length > 0) throw new RosterError(text.roster, found);
  return roster;
}

/** @returns the named texts; undefined if there are none */
export function readLayout(
  text: string,
  format: RosterFormat,
  issues: IssueCollector,
): RosterLayout | undefined {
  if (text.trim() === "") {
    issues.add(0, "the file is empty. Write the organization and its people, or restore the file");
    return undefined;
  }
  if (format === "csv") {
    const layout = parseCsv(text, headerFieldNames, columnNames, issues);
    stopAtMost(layout, issues);
    return withRotationLines(layout, issues);
  }
  const layout = parseYaml(text, headerFieldNames, personFieldNames, issues);
  if (layout.map === undefined) return undefined;
  if (format === "json") refuseLooseJson(text, issues);
  stopAtMost(layout, issues);
  return layout;
}

function stopAtMost({ rows }: RosterLayout, issues: IssueCollector): void {
  const next = rows[MOST_PEOPLE];
  if (next !== undefined)
    issues.stop(next.start, `more than ${grouped(MOST_PEOPLE)} people in a file. ${SPLIT}`);
}

/** Other tools fail on what YAML allows in JSON, such as comments. */
function refuseLooseJson(text: string, issues: IssueCollector): void {
  const at = whereJsonBreaks(text);
  if (at === undefined) return;
  issues.add(at, "not valid JSON. Use double quotes, no comments, and no comma after the last value");
}
