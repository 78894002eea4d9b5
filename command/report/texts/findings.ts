/** The people who need attention. */

import { isRotationDue } from "../people.ts";
import type { Report, ReportedPerson } from "../schema.ts";
import { personColumns } from "./columns.ts";
import { days } from "./phrases.ts";
import type { Column } from "./table.ts";

/** A list of people who need attention. */
export interface Finding {
  readonly title: string;
  /** The consequence, and what to do. */
  readonly meaning: string;
  readonly people: readonly ReportedPerson[];
  readonly columns: readonly Column<ReportedPerson>[];
}

/** What each finding looks for. */
const findings: readonly (Pick<Finding, "title"> & {
  readonly meaning: string | ((report: Report) => string);
  /** @param now milliseconds since 1970 */
  readonly isOne: (person: ReportedPerson, now: number) => boolean;
  /** What the list shows of each. Default: the token. */
  readonly shows?: keyof typeof personColumns;
  readonly order?: (a: ReportedPerson, b: ReportedPerson) => number;
})[] = [
  {
    title: "Tokens that are expired or expire within 30 days",
    meaning: "Renew the subscription, or change the date of the person, then run `orgseat renew`.",
    isOne: ({ token }) => ["expired", "under7", "under30"].includes(token?.band ?? ""),
  },
  {
    title: "Access has ended",
    meaning: "The next `orgseat up` or `orgseat renew` removes or retains them (`access_until`).",
    isOne: ({ inState, access }) => inState && access?.status === "ended",
    order: soonestEnd,
    shows: "access",
  },
  {
    title: "Access ends within 14 days",
    meaning:
      "After that, `orgseat up` and `orgseat renew` remove or retain them. To extend, write a later `access_until`.",
    isOne: ({ access }) => access?.status === "endsSoon",
    order: soonestEnd,
    shows: "access",
  },
  {
    title: "Tokens due for rotation",
    meaning: "The next `orgseat up` replaces them (`rotate_every`).",
    isOne: isRotationDue,
  },
  {
    title: "Idle seats",
    meaning: ({ seatUse }) =>
      `No use for ${days(seatUse?.idleDays ?? 0)} or more. To free these seats, write no for seat and token in the rows, then run \`orgseat up\`.`,
    isOne: ({ seatUse }) => seatUse?.status === "idle",
    order: longestUnusedFirst,
    shows: "seatUse",
  },
  {
    title: "Members without a seat",
    meaning: "They are members but cannot use the organization.",
    isOne: ({ inState, seat }) => inState && seat === "none",
  },
  {
    title: "In the roster but not in any state",
    meaning: "The next `orgseat up` adds them.",
    isOne: ({ inRoster, inState, access }) => inRoster && !inState && access?.status !== "ended",
  },
  {
    title: "In a state but not in the roster",
    meaning: "The next `orgseat up` removes or retains them (`on_delete`).",
    isOne: ({ inRoster, inState }) => !inRoster && inState,
  },
];

/** The findings that concern at least one person. */
export function findingsOf(report: Report): Finding[] {
  const now = Date.parse(report.generatedAt);
  return findings.flatMap(({ title, meaning, isOne, shows = "token", order = () => 0 }) => {
    const people = report.people.filter((person) => isOne(person, now)).toSorted(order);
    const text = typeof meaning === "string" ? meaning : meaning(report);
    return people.length === 0 ? [] : { title, meaning: text, people, columns: personColumns[shows] };
  });
}

function soonestEnd(a: ReportedPerson, b: ReportedPerson): number {
  return Date.parse(a.access?.until ?? "") - Date.parse(b.access?.until ?? "");
}

function longestUnusedFirst(a: ReportedPerson, b: ReportedPerson): number {
  return (b.seatUse?.unusedDays ?? 0) - (a.seatUse?.unusedDays ?? 0);
}
