/** The phrases that the text and HTML forms of a report share. */
import { counted, grouped } from "../../../provider/util/text.ts";
import type { Band, DueKind, Report, ReportedPerson, ReportedToken, SeatUses } from "../schema.ts";

export const describeDue: Readonly<Record<DueKind, string>> = {
  subscription: "subscription ends",
  access: "access ends",
  token: "token expires",
  rotation: "token is due for rotation",
};

export const describeBand: Readonly<Record<Band, string>> = {
  expired: "expired",
  under7: "under 7 days",
  under30: "7 to 29 days",
  under90: "30 to 89 days",
  more: "90 days and more",
};

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

/** `less than a day`, `1 day`, `12 days`. @param past the word for what has ended; empty if it has not */
function describeLeft(daysLeft: number, past: string): string {
  return past || (daysLeft === 0 ? "less than a day" : days(daysLeft));
}

/** `expired`, `12 days`. */
export function describeTokenLeft({ daysLeft, band }: ReportedToken): string {
  return describeLeft(daysLeft, band === "expired" ? band : "");
}

/** `ended`, `12 days`. */
export function describeAccessLeft({ daysLeft, status }: NonNullable<ReportedPerson["access"]>): string {
  return describeLeft(daysLeft, status === "ended" ? status : "");
}

/** The line below a list that is cut; empty if it is not. */
export function moreLine(count: number): string {
  return count > 0 ? `\nand ${grouped(count)} more (--verbose and the other formats list all)` : "";
}

export function days(count: number): string {
  return count === 1 ? "1 day" : `${count} days`;
}

/** The day of a timestamp, in UTC: `2027-06-30`. @param none the text without a timestamp */
export function dayOf(instant: string | null | undefined, none = ""): string {
  if (typeof instant !== "string") return none;
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
