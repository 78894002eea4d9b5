/** What ends or falls due within a time, and has ended already. */
import { parseDuration } from "../../provider/util/duration.ts";
import { daysUntil } from "./people.ts";
import type { DueKind, Report, ReportedDue, ReportedPerson } from "./schema.ts";

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
