/** What ends or falls due within a time, and has ended already: as a table and as CSV. */
import { parseDuration } from "../../provider/util/duration.ts";
import { counted } from "../../provider/util/text.ts";
import { daysUntil } from "./people.ts";
import type { DueKind, Report, ReportedDue, ReportedPerson } from "./schema.ts";
import { dayOf, days, moreLine } from "./texts/phrases.ts";
import { csvText, type TableForm, tableText } from "./texts/table.ts";

type Entry = ReportedDue["entries"][number];

const endsOf: Readonly<Record<Exclude<DueKind, "subscription">, (person: ReportedPerson) => string | null>> =
  {
    token: ({ token }) => token?.validUntil ?? null,
    rotation: ({ token }) => token?.rotationDue ?? null,
    // After the removal, the row alone says nothing that is still to come.
    access: ({ access, inState }) =>
      access !== null && (inState || access.status !== "ended") ? access.until : null,
  };

/** @param within a duration, such as `30d` @returns the soonest first */
export function dueWithin(
  within: string,
  { people, subscription, generatedAt }: Pick<Report, "people" | "subscription" | "generatedAt">,
): ReportedDue {
  const now = Date.parse(generatedAt);
  const last = now + (parseDuration(within) ?? 0);
  const entry = (what: DueKind, at: string | null, person?: ReportedPerson): Entry[] => {
    if (at === null || Date.parse(at) > last) return [];
    const { who = "", key = null, team = null, userId = null, stack = null } = person ?? {};
    return [{ what, at, daysLeft: daysUntil(at, now), who, key, team, userId, stack }];
  };
  const entries = [
    ...entry("subscription", subscription.endsAt),
    ...people.flatMap((person) => [
      ...entry("access", endsOf.access(person), person),
      ...entry("token", endsOf.token(person), person),
      ...entry("rotation", endsOf.rotation(person), person),
    ]),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { within, entries };
}

const describeKind: Readonly<Record<DueKind, string>> = {
  subscription: "subscription ends",
  access: "access ends",
  token: "token expires",
  rotation: "token is due for rotation",
};

/** `--due` alone: no other part of the report. */
export function dueInText({ within, entries }: ReportedDue, limit: number, form: TableForm): string {
  const rows = entries
    .slice(0, limit)
    .map(({ what, at, daysLeft, who, team }) => [
      who || "(organization)",
      team ?? "",
      describeKind[what],
      dayOf(at),
      daysLeft < 0 ? "passed" : days(daysLeft),
    ]);
  const table =
    rows.length === 0 ? [] : [tableText(["Person or purpose", "Team", "What", "On", "Left"], rows, form)];
  if (form.tsv) return table.map((text) => `${text}\n`).join("");
  const list = table.map((text) => `${text}${moreLine(entries.length - limit)}\n\n`).join("");
  return `${list}Due within ${within}: ${counted(entries.length, "date")}.\n`;
}

export function dueInCsv({ entries }: ReportedDue): string {
  const head = ["what", "who", "key", "team", "user_id", "stack", "at", "days_left"];
  const rows = entries.map(({ what, who, key, team, userId, stack, at, daysLeft }) => {
    return [what, who, key, team, userId, stack, at, daysLeft];
  });
  return csvText(head, rows);
}
