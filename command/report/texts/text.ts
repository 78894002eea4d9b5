/** The report for a terminal. */
import { grouped, LISTED } from "../../../provider/util/text.ts";
import { driftInText } from "../../plan/drift.ts";
import { dueInText } from "../due.ts";
import type { MonthlyChanges, Report, ReportedDrift, ReportedPerson } from "../schema.ts";
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
  moreLine,
} from "./phrases.ts";
import { printable, type TableForm, tableText } from "./table.ts";

interface ReportTextOptions extends TableForm {
  /** Whether lists are complete. Default: they are cut after 20 entries, but not those separated by tabs. */
  readonly verbose?: boolean | undefined;
}

export function textOf(report: Report, { verbose = false, ...form }: ReportTextOptions = {}): string {
  const limit = verbose || form.tsv ? Number.POSITIVE_INFINITY : LISTED;
  if (report.due !== null) return `${dueInText(report.due, limit, form)}${notesIn(report)}`;
  const parts = [
    headOf(report),
    bandsTable(report, form),
    ...findingsOf(report).map((finding) => describeFinding(finding, limit, form)),
    managedTable(report, limit, form),
    report.month === null ? "" : monthText(report.month, limit),
    report.drift === null ? "" : driftText(report.drift, limit),
    notesIn(report).trimEnd(),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function notesIn({ notes }: Report): string {
  return notes.map((note) => `Note: ${printable(note)}\n`).join("");
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

function bandsTable({ tokens }: Report, form: TableForm): string {
  if (tokens.total === 0) return "";
  const rows = tokens.bands.map(({ band, total, confirmed, declared }) => [
    describeBand[band],
    ...[total, confirmed, declared].map(String),
  ]);
  const aligns = ["left", "right", "right", "right"] as const;
  return tableText(["Days left", "Tokens", "Confirmed", "Declared"], rows, form, aligns);
}

const findingColumns = {
  token: { head: ["Token expires", "Days left"], cells: tokenCells },
  seatUse: { head: ["Last seen", "Unused for"], cells: describeSeatUse },
  access: { head: ["Access until", "Left"], cells: describeAccess },
} as const;

function describeFinding(
  { title, meaning, people, shows = "token" }: Finding,
  limit: number,
  form: TableForm,
): string {
  const { head, cells } = findingColumns[shows];
  const rows = people.slice(0, limit).map((person) => [person.who, person.team ?? "", ...cells(person)]);
  const table = tableText(["Person or purpose", "Team", ...head], rows, form);
  return `${title}: ${people.length}. ${meaning}\n${table}${moreLine(people.length - limit)}`;
}

function tokenCells({ token }: ReportedPerson): [string, string] {
  if (token === null) return ["no token", ""];
  return [dayOf(token.validUntil), `${describeDays(token)}, ${describeSource(token.source)}`];
}

function managedTable({ machineUsersByPurpose }: Report, limit: number, form: TableForm): string {
  if (machineUsersByPurpose.length === 0) return "";
  const rows = machineUsersByPurpose.slice(0, limit).map(({ purpose, total }) => [purpose, String(total)]);
  const table = tableText(["Machine users, by purpose", "Total"], rows, form, ["left", "right"]);
  return `${table}${moreLine(machineUsersByPurpose.length - limit)}`;
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
