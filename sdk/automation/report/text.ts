/** The report for a terminal. */
import Table from "cli-table3";
import {
  dayOf,
  describeBand,
  describeDays,
  describeMonth,
  describeSeats,
  describeSource,
  describeSubscription,
  type Finding,
  findingsOf,
  minuteOf,
} from "./phrases.ts";
import type { MonthlyChanges, Report, ReportedPerson } from "./schema.ts";

/** People of one list; the rest is counted. */
const LISTED = 25;
const WIDEST_NAME = 60;

export function textOf(report: Report): string {
  const parts = [
    headOf(report),
    bandsTable(report),
    ...findingsOf(report).map(findingInWords),
    managedTable(report),
    report.month === null ? "" : monthText(report.month),
    report.notes.map((note) => `Note: ${printable(note)}`).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function headOf({ organizationId, generatedAt, subscription, seats, tokens, people }: Report): string {
  const inState = people.filter((person) => person.inState).length;
  return [
    `Organization ${organizationId ?? "(not known)"}, as of ${minuteOf(generatedAt)}`,
    `Subscription: ${describeSubscription(subscription)}`,
    `Members: ${inState}`,
    `Seats: ${describeSeats(seats)}`,
    `Tokens: ${tokens.total} (${tokens.confirmed} confirmed by the service, ${tokens.declared} declared)`,
  ].join("\n");
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
  return table.toString();
}

function findingInWords({ title, meaning, people }: Finding): string {
  const table = tableOf(["Person or purpose", "Team", "Token", ""], ["left", "left", "left", "left"]);
  for (const person of people.slice(0, LISTED)) {
    table.push([nameCell(person.who), nameCell(person.team ?? ""), ...tokenCells(person)]);
  }
  return `${title}: ${people.length}. ${meaning}\n${table.toString()}${furtherOnes(people.length)}`;
}

function furtherOnes(total: number): string {
  return total > LISTED ? `\nand ${total - LISTED} more; the other forms of the report list all.` : "";
}

function tokenCells({ token }: ReportedPerson): [string, string] {
  if (token === null) return ["no token", ""];
  return [dayOf(token.validUntil), `${describeDays(token)}, ${describeSource(token.source)}`];
}

function managedTable({ managedByPurpose }: Report): string {
  if (managedByPurpose.length === 0) return "";
  const table = tableOf(["Managed users, by purpose", ""], ["left", "right"]);
  for (const { purpose, total } of managedByPurpose.slice(0, LISTED)) table.push([nameCell(purpose), total]);
  return `${table.toString()}${furtherOnes(managedByPurpose.length)}`;
}

function monthText({ month, joined, takenOver, left }: MonthlyChanges): string {
  const line = (what: string, changes: MonthlyChanges["joined"]) => [
    `  ${what}: ${changes.length}`,
    ...changes.slice(0, LISTED).map(({ who, at }) => `    ${dayOf(at)}  ${printable(who)}`),
    ...(changes.length > LISTED ? [`    and ${changes.length - LISTED} more`] : []),
  ];
  return [
    describeMonth(month),
    ...line("joined", joined),
    ...(takenOver.length === 0 ? [] : line("members already, under management since", takenOver)),
    ...(left === null ? ["  left: not known"] : line("left", left)),
  ].join("\n");
}

function tableOf(head: string[], colAligns: ("left" | "right")[]): Table.Table {
  return new Table({
    head,
    colAligns,
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
    style: { head: [], border: [] },
  });
}

function nameCell(name: string): string {
  const characters = [...printable(name)];
  return characters.length <= WIDEST_NAME
    ? characters.join("")
    : `${characters.slice(0, WIDEST_NAME - 1).join("")}…`;
}

/** A name must not move the cursor, colour the terminal or turn the line around. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}");
}
