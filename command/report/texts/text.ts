/** The report for a terminal. */
import { counted, cut, limitOf } from "../../../provider/util/text.ts";
import { driftInText } from "../../plan/drift.ts";
import type { MonthlyChanges, Report, ReportedDrift, ReportedDue, ReportedPerson } from "../schema.ts";
import { bandColumns, dueColumns, machineUserColumns } from "./columns.ts";
import { findingsOf } from "./findings.ts";
import {
  dayOf,
  describeMonth,
  describeSeats,
  describeSeatUses,
  describeSubscription,
  minuteOf,
  moreLine,
} from "./phrases.ts";
import { type Column, printable, type TableForm, tableText } from "./table.ts";

interface ReportTextOptions extends TableForm {
  /** Whether lists are complete. Default: they are cut after 20 entries, but not those separated by tabs. */
  readonly verbose?: boolean | undefined;
}

interface ListForm extends TableForm {
  /** The number of rows of a list. */
  readonly limit: number;
}

export function textOf(report: Report, { verbose = false, ...form }: ReportTextOptions = {}): string {
  const { tokens, machineUsersByPurpose, month, drift, due } = report;
  const limit = limitOf({ verbose: verbose || form.tsv });
  const lists = { ...form, limit };
  if (due !== null) return `${dueText(due, lists)}${notesIn(report)}`;
  const parts = [
    headOf(report),
    tokens.total === 0 ? "" : tableText(bandColumns, tokens.bands, form),
    ...findingsOf(report).map(
      ({ title, meaning, columns, people }) =>
        `${title}: ${people.length}. ${meaning}\n${listText(columns, people, lists)}`,
    ),
    machineUsersByPurpose.length === 0 ? "" : listText(machineUserColumns, machineUsersByPurpose, lists),
    month === null ? "" : monthText(month, limit),
    drift === null ? "" : driftText(drift, limit),
    notesIn(report).trimEnd(),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function listText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], form: ListForm): string {
  return `${tableText(columns, rows.slice(0, form.limit), form)}${moreLine(rows.length - form.limit)}`;
}

/** `--due` alone: no other part of the report. */
function dueText({ within, entries }: ReportedDue, form: ListForm): string {
  const list = entries.length === 0 ? "" : `${listText(dueColumns, entries, form)}\n`;
  if (form.tsv) return list;
  return `${list && `${list}\n`}Due within ${within}: ${counted(entries.length, "date")}.\n`;
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

function monthText({ month, joined, adopted, left }: MonthlyChanges, limit: number): string {
  const line = (what: string, changes: MonthlyChanges["joined"]) => [
    `  ${what}: ${changes.length}`,
    ...cut(
      changes.map(({ who, at }) => `    ${dayOf(at)}  ${printable(who)}`),
      limit,
      "    ",
    ),
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
