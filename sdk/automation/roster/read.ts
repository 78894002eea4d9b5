/** Reads a roster: CSV, YAML, or JSON, by the file's ending. */
import { extname } from "node:path";
import { type HeaderField, headerNames, type PersonField, personNames } from "./fields.ts";
import { type CsvLayout, parseCsv } from "./formats/csv.ts";
import type { Names } from "./formats/layout.ts";
import { readText, splitByteOrderMark } from "./formats/text-file.ts";
import { IssueCollector, RosterError } from "./formats/validation.ts";
import { parseYaml, type YamlLayout } from "./formats/yaml.ts";
import { type ReadContext, rosterOf } from "./people.ts";
import type { Roster, RosterPerson } from "./roster.ts";
import { withRotationLines } from "./rotation-lines.ts";

/** How a roster is written. */
export type RosterFormat = "csv" | "yaml" | "json";

const FORMATS = new Map<string, RosterFormat>([
  [".csv", "csv"],
  [".yaml", "yaml"],
  [".yml", "yaml"],
  [".json", "json"],
]);

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

/**
 * Reads a roster's file.
 * @param now milliseconds since 1970; a subscription that had ended by then is an error. Default: any date is good
 * @throws RosterError with all its errors
 */
export async function readRoster(file: string, now?: number): Promise<Roster> {
  formatOf(file);
  return parsed(await readText(file), file, { now, isOnDisk: true });
}

/**
 * Reads a list of people that need not be a whole roster: its form is the same, and its organization may be left out.
 * @throws RosterError with all its errors, another organization than the expected one too
 */
export async function readPeople(file: string, organizationId: string): Promise<readonly RosterPerson[]> {
  formatOf(file);
  const roster = parsed(await readText(file), file, { organizationId });
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
  return parsed(text, file);
}

function parsed(text: string, file: string, known: ReadContext = {}): Roster {
  const format = formatOf(file);
  const { text: body } = splitByteOrderMark(text);
  const issues = new IssueCollector(body);
  const layout = readLayout(body, format, issues);
  const roster = layout && rosterOf(file, layout, issues, known);
  if (roster === undefined || issues.found.length > 0) throw new RosterError(file, issues.found);
  return roster;
}

/** @throws RosterError for an unknown ending */
export function formatOf(file: string): RosterFormat {
  const format = FORMATS.get(extname(file).toLowerCase());
  if (format !== undefined) return format;
  const text = `unknown file extension (expected ${[...FORMATS.keys()].join(", ")}). Rename the file`;
  throw new RosterError(file, [{ line: 0, column: 0, text }]);
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
    return withRotationLines(parseCsv(text, headerFieldNames, columnNames, issues), issues);
  }
  const layout = parseYaml(text, headerFieldNames, personFieldNames, issues);
  if (layout.map === undefined) return undefined;
  if (format === "json") refuseLooseJson(text, issues);
  return layout;
}

/** Other tools fail on what YAML allows in JSON, such as comments. */
function refuseLooseJson(text: string, issues: IssueCollector): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const at = /\bposition (\d+)/.exec(message)?.[1];
    issues.add(
      Number(at ?? 0),
      "not valid JSON. Use double quotes, no comments, and no comma after the last value",
    );
  }
}
