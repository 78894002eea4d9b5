/** The columns of the tables of a report, once for text and HTML. */

import type { MonthlyChanges, Report, ReportedDue, ReportedPerson } from "../schema.ts";
import {
  dayOf,
  days,
  describeAccessLeft,
  describeBand,
  describeDue,
  describeSource,
  describeTokenLeft,
} from "./phrases.ts";
import type { Column } from "./table.ts";

type PersonColumn = Column<ReportedPerson>;

export const whoColumn = {
  head: "Person or purpose",
  cell: ({ who }: { readonly who: string }) => who,
  kind: "name",
} as const;
const person: PersonColumn = { ...whoColumn, detail: namesOf };
const team: Column<Pick<ReportedPerson, "team">> = {
  head: "Team",
  cell: ({ team }) => team ?? "",
  kind: "name",
};
const tokenExpires: PersonColumn = {
  head: "Token expires",
  cell: ({ token }) => dayOf(token?.validUntil, "no token"),
  kind: "date",
};
const tokenLeft: PersonColumn = {
  head: "Days left",
  cell: ({ token }) => (token === null ? "" : `${describeTokenLeft(token)}, ${describeSource(token.source)}`),
  band: ({ token }) => token?.band,
};
const accessUntil: PersonColumn = {
  head: "Access until",
  cell: ({ access }) => dayOf(access?.until),
  kind: "date",
};

/** What a list of people shows of each. */
export const personColumns = {
  token: [person, team, tokenExpires, tokenLeft],
  seatUse: [
    ...[person, team],
    { head: "Last seen", cell: ({ seatUse }) => dayOf(seatUse?.lastSeen, "never"), kind: "date" },
    {
      head: "Unused for",
      cell: ({ seatUse }) => (typeof seatUse?.unusedDays === "number" ? days(seatUse.unusedDays) : ""),
    },
  ],
  access: [
    ...[person, team, accessUntil],
    { head: "Left", cell: ({ access }) => (access === null ? "" : describeAccessLeft(access)) },
  ],
} as const satisfies Readonly<Record<string, readonly PersonColumn[]>>;

const seats: Readonly<Record<ReportedPerson["seat"], string>> = {
  assigned: "yes",
  unconfirmed: "not confirmed",
  none: "no seat",
};

/** Those of a list of everyone: rotations and ends of accesses only if someone has one. */
export function everyoneColumns(people: readonly ReportedPerson[]): PersonColumn[] {
  const rotationDue: PersonColumn = {
    head: "Rotation due",
    cell: ({ token }) => dayOf(token?.rotationDue),
    kind: "date",
  };
  return [
    ...[person, team, { head: "Seat", cell: ({ seat }: ReportedPerson) => seats[seat] }],
    ...[tokenExpires, tokenLeft],
    ...(people.some(({ token }) => token?.rotationDue) ? [rotationDue] : []),
    ...(people.some(({ access }) => access !== null) ? [accessUntil] : []),
    { head: "Roster", cell: describeRow },
  ];
}

function describeRow({ inRoster, inState, access }: ReportedPerson): string {
  if (!inState) return access?.status === "ended" ? "access ended" : "not added yet";
  return inRoster ? "listed" : "not listed";
}

function namesOf({ who, firstName, lastName, kind, userId }: ReportedPerson): string {
  if (kind === "machine") return "machine user";
  if (kind === "unknown" && who !== userId) return userId ?? "";
  return [firstName, lastName].filter((name) => name !== null).join(" ");
}

type Counts = Report["tokens"]["bands"][number];
const count = (head: string, cell: (row: Counts) => number): Column<Counts> => ({
  ...{ head, cell: (row) => String(cell(row)), kind: "number" },
});
export const bandColumns: readonly Column<Counts>[] = [
  { head: "Days left", cell: ({ band }) => describeBand[band], band: ({ band }) => band },
  count("Tokens", ({ total }) => total),
  count("Confirmed", ({ confirmed }) => confirmed),
  count("Declared", ({ declared }) => declared),
];

export const machineUserColumns: readonly Column<Report["machineUsersByPurpose"][number]>[] = [
  { head: "Machine users, by purpose", cell: ({ purpose }) => purpose, kind: "name" },
  { head: "Total", cell: ({ total }) => String(total), kind: "number" },
];

export const changeColumns: readonly Column<MonthlyChanges["joined"][number]>[] = [
  whoColumn,
  { head: "On", cell: ({ at }) => dayOf(at), kind: "date" },
];

export const driftColumns: readonly Column<{ readonly who: string; readonly what: string }>[] = [
  whoColumn,
  { head: "Difference", cell: ({ what }) => what, kind: "name" },
];

export const dueColumns: readonly Column<ReportedDue["entries"][number]>[] = [
  { ...whoColumn, cell: ({ who }) => who || "(organization)" },
  team,
  { head: "What", cell: ({ what }) => describeDue[what] },
  { head: "On", cell: ({ at }) => dayOf(at), kind: "date" },
  { head: "Left", cell: ({ daysLeft }) => (daysLeft < 0 ? "passed" : days(daysLeft)) },
];
