/** The phrases that the text and HTML forms of a report share. */
import { counted, grouped } from "../../../provider/util/text.ts";
import { isRotationDue } from "../people.ts";
import type { Band, Report, ReportedPerson, ReportedToken, SeatUses } from "../schema.ts";

export const describeBand: Readonly<Record<Band, string>> = {
  expired: "expired",
  under7: "under 7 days",
  under30: "7 to 29 days",
  under90: "30 to 89 days",
  more: "90 days and more",
};

/** A list of people who need attention. */
export interface Finding {
  readonly title: string;
  /** The consequence, and what to do. */
  readonly meaning: string;
  readonly people: readonly ReportedPerson[];
  /** What the list shows of each. Default: the token. */
  readonly shows?: "token" | "seatUse" | "access";
}

/** What each finding looks for. */
const findings: readonly (Omit<Finding, "people" | "meaning"> & {
  readonly meaning: string | ((report: Report) => string);
  /** @param now milliseconds since 1970 */
  readonly isOne: (person: ReportedPerson, now: number) => boolean;
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
  return findings.flatMap(({ meaning, isOne, order = () => 0, ...finding }) => {
    const people = report.people.filter((person) => isOne(person, now)).toSorted(order);
    const text = typeof meaning === "string" ? meaning : meaning(report);
    return people.length === 0 ? [] : { ...finding, meaning: text, people };
  });
}

function soonestEnd(a: ReportedPerson, b: ReportedPerson): number {
  return Date.parse(a.access?.until ?? "") - Date.parse(b.access?.until ?? "");
}

function longestUnusedFirst(a: ReportedPerson, b: ReportedPerson): number {
  return (b.seatUse?.unusedDays ?? 0) - (a.seatUse?.unusedDays ?? 0);
}

/** `2 idle for 30 days or more (5 available without them), 12 used, 1 not in the file`. */
export function describeSeatUses(uses: SeatUses, { available }: Report["seats"]): string {
  const freed = available === null ? "" : ` (${available + uses.idle} available without them)`;
  const parts: readonly (readonly [count: number, what: string])[] = [
    [uses.new, `assigned less than ${days(uses.idleDays)} ago`],
    [uses.unknown, "never used, but adopted recently, so unknown"],
    [uses.notInFile, "not in the file, so unknown"],
    [uses.withoutEmail, "without an email, such as machine users, so not counted"],
  ];
  const others = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const idle = `${uses.idle} idle for ${days(uses.idleDays)} or more${uses.idle === 0 ? "" : freed}`;
  const strangers =
    uses.notInRoster === 0
      ? ""
      : `. ${counted(uses.notInRoster, "person", "people")} of the file in no roster and no state`;
  return `${[idle, `${uses.used} used`, ...others].join(", ")}${strangers}`;
}

/** The last use and the time without use: `2026-08-01`, `112 days`. */
export function describeSeatUse({ seatUse }: ReportedPerson): [lastSeen: string, unused: string] {
  const { lastSeen = null, unusedDays = null } = seatUse ?? {};
  return [lastSeen === null ? "never" : dayOf(lastSeen), unusedDays === null ? "" : days(unusedDays)];
}

/** The end of the access and the time until then: `2026-12-31`, `12 days`. */
export function describeAccess({ access }: ReportedPerson): [until: string, left: string] {
  if (access === null) return ["", ""];
  const { until, daysLeft, status } = access;
  if (status === "ended") return [dayOf(until), "ended"];
  return [dayOf(until), daysLeft === 0 ? "less than a day" : days(daysLeft)];
}

/** `12 assigned of 15 (declared), 3 available`. */
export function describeSeats({ used, unconfirmed, purchased, available, source }: Report["seats"]): string {
  const outstanding = unconfirmed === 0 ? "" : ` (${unconfirmed} not confirmed)`;
  if (purchased === null || available === null) return `${used} assigned${outstanding}, total unknown`;
  const rest = available < 0 ? `${-available} more than purchased` : `${available} available`;
  return `${used} assigned${outstanding} of ${purchased} (${source}), ${rest}`;
}

export function describeSource(source: ReportedToken["source"]): string {
  return source === "service" ? "confirmed" : "declared";
}

/** `expired`, `less than a day`, `1 day`, `12 days`. */
export function describeDays({ daysLeft, band }: Pick<ReportedToken, "daysLeft" | "band">): string {
  if (band === "expired") return "expired";
  if (daysLeft === 0) return "less than a day";
  return days(daysLeft);
}

/** The line below a list that is cut; empty if it is not. */
export function moreLine(count: number): string {
  return count > 0 ? `\nand ${grouped(count)} more (--verbose and the other formats list all)` : "";
}

export function days(count: number): string {
  return count === 1 ? "1 day" : `${count} days`;
}

/** The day of a timestamp, in UTC: `2027-06-30`. */
export function dayOf(instant: string): string {
  const at = new Date(instant);
  return Number.isNaN(at.getTime()) ? instant : at.toISOString().slice(0, 10);
}

/** `2026-11-21 18:22 UTC`. */
export function minuteOf(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `November 2026`. @param month such as `2026-11` */
export function describeMonth(month: string): string {
  return new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}

/** `ends 2027-06-30, in 221 days`, or `end unknown`. */
export function describeSubscription({ endsAt, daysLeft }: Report["subscription"]): string {
  if (endsAt === null || daysLeft === null) return "end unknown";
  return daysLeft < 0 ? `ended ${dayOf(endsAt)}` : `ends ${dayOf(endsAt)}, in ${days(daysLeft)}`;
}
