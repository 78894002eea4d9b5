/** The report for a terminal. */
import Table from "cli-table3";
import { grouped, LISTED } from "../../../provider/util/text.ts";
import { driftInText } from "../plan/drift.ts";
import {
  dayOf,
  describeAccess,
  describeBand,
  describeDays,
  describeMonth,
  describeSeats,
  describeSeatUse,
  describeSeatUses,
  describeSource,
  describeSubscription,
  type Finding,
  findingsOf,
  minuteOf,
} from "./phrases.ts";
import type { MonthlyChanges, Report, ReportedDrift, ReportedPerson } from "./schema.ts";

const WIDEST_NAME = 60;

interface ReportTextOptions {
  /** Whether lists are complete. Default: they are cut after 20 entries. */
  readonly verbose?: boolean | undefined;
}

export function textOf(report: Report, { verbose = false }: ReportTextOptions = {}): string {
  const limit = verbose ? Number.POSITIVE_INFINITY : LISTED;
  const parts = [
    headOf(report),
    bandsTable(report),
    ...findingsOf(report).map((finding) => describeFinding(finding, limit)),
    managedTable(report, limit),
    report.month === null ? "" : monthText(report.month, limit),
    report.drift === null ? "" : driftText(report.drift, limit),
    report.notes.map((note) => `Note: ${printable(note)}`).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function headOf(report: Report): string {
  const { organizationId, generatedAt, subscription, seats, seatUse, tokens, people } = report;
  const inState = people.filter((person) => person.inState).length;
  return [
    `Organization ${organizationId}, as of ${minuteOf(generatedAt)}`,
    `Subscription: ${describeSubscription(subscription)}`,
    `Members: ${inState}`,
    `Seats: ${describeSeats(seats)}`,
    ...(seatUse === null ? [] : [`Seat use: ${describeSeatUses(seatUse, seats)}`]),
    `Tokens: ${tokens.total} (${tokens.confirmed} confirmed by the service, ${tokens.declared} declared)`,
    ...nextRotationIn(people),
  ].join("\n");
}

function nextRotationIn(people: readonly ReportedPerson[]): string[] {
  const due = people.flatMap(({ token }) => token?.rotationDue ?? []).toSorted();
  return due[0] === undefined
    ? []
    : [`Rotated automatically: ${due.length}, the next one due ${dayOf(due[0])}`];
}

function bandsTable({ tokens }: Report): string {
  if (tokens.total === 0) return "";
  const table = tableOf(
    ["Days left", "Tokens", "Confirmed", "Declared"],
    ["left", "right", "right", "right"],
  );
  for (const { band, total, confirmed, declared } of tokens.bands) {
    table.push([describeBand[band], total, confirmed, declared]);
  }
  return render(table);
}

const findingColumns = {
  token: { head: ["Token expires", "Days left"], cells: tokenCells },
  seatUse: { head: ["Last seen", "Unused for"], cells: describeSeatUse },
  access: { head: ["Access until", "Left"], cells: describeAccess },
} as const;

function describeFinding({ title, meaning, people, shows = "token" }: Finding, limit: number): string {
  const { head, cells } = findingColumns[shows];
  const table = tableOf(["Person or purpose", "Team", ...head], ["left", "left", "left", "left"]);
  for (const person of people.slice(0, limit)) {
    table.push([nameCell(person.who), nameCell(person.team ?? ""), ...cells(person)]);
  }
  return `${title}: ${people.length}. ${meaning}\n${render(table)}${moreLine(people.length - limit)}`;
}

export function moreLine(count: number): string {
  return count > 0 ? `\nand ${grouped(count)} more (--verbose and the other formats list all)` : "";
}

function tokenCells({ token }: ReportedPerson): [string, string] {
  if (token === null) return ["no token", ""];
  return [dayOf(token.validUntil), `${describeDays(token)}, ${describeSource(token.source)}`];
}

function managedTable({ machineUsersByPurpose }: Report, limit: number): string {
  if (machineUsersByPurpose.length === 0) return "";
  const table = tableOf(["Machine users, by purpose", "Total"], ["left", "right"]);
  for (const { purpose, total } of machineUsersByPurpose.slice(0, limit))
    table.push([nameCell(purpose), total]);
  return `${render(table)}${moreLine(machineUsersByPurpose.length - limit)}`;
}

function monthText({ month, joined, adopted, left }: MonthlyChanges, limit: number): string {
  const line = (what: string, changes: MonthlyChanges["joined"]) => [
    `  ${what}: ${changes.length}`,
    ...changes.slice(0, limit).map(({ who, at }) => `    ${dayOf(at)}  ${printable(who)}`),
    ...(changes.length > limit ? [`    and ${grouped(changes.length - limit)} more`] : []),
  ];
  return [
    describeMonth(month),
    ...line("joined", joined),
    ...(adopted.length === 0 ? [] : line("adopted", adopted)),
    ...(left === null ? ["  left: unknown"] : line("left", left)),
  ].join("\n");
}

function driftText(drift: ReportedDrift, limit: number): string {
  const lines = driftInText(drift, limit).map(printable);
  const scope = drift.tokens ? "users, seats, and tokens" : "users and seats; --tokens compares tokens too";
  return lines.length === 0 ? `Drift: none (${scope})` : `Drift (${scope}):\n${lines.slice(1).join("\n")}`;
}

export function tableOf(head: string[], colAligns: ("left" | "right")[]): Table.Table {
  return new Table({
    head,
    colAligns,
    style: { head: [], border: [] },
  });
}

/** A table with a line below its header and none between its rows. */
export function render(table: Table.Table): string {
  const lines = table.toString().split("\n");
  const isRule = (line: string): boolean => line.startsWith("├");
  const header = lines.findIndex(isRule);
  return lines.filter((line, index) => !isRule(line) || index === header).join("\n");
}

export function nameCell(name: string): string {
  const characters = [...printable(name)];
  return characters.length <= WIDEST_NAME
    ? characters.join("")
    : `${characters.slice(0, WIDEST_NAME - 1).join("")}…`;
}

/** Without characters that move the cursor, color the terminal or reverse the line. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}");
}
