/** The report of an organization at one moment: seats, tokens by their end, people, who joined and left. Reads no file. */
import type { DriftKind } from "../plan/drift.ts";
import { dueWithin } from "./due.ts";
import type { ReportFacts } from "./facts.ts";
import { htmlOf } from "./html/page.ts";
import { changesIn } from "./month.ts";
import { countTokens, daysUntil, holdersIn, reportedPeople } from "./people.ts";
import { type Report, type ReportedPerson, reportSchema } from "./schema.ts";
import { countSeatUses, DEFAULT_IDLE_DAYS } from "./seat-use.ts";
import { csvOf } from "./texts/csv.ts";
import { textOf } from "./texts/text.ts";

export interface ReportOptions {
  /** Who joined and left in it, such as `2026-11`, in UTC. Default: not asked. */
  readonly month?: string | undefined;
  /** Whether to compare the tokens with the service too, with one request each. Default: false. */
  readonly tokens?: boolean | undefined;
  /** A CSV file with the columns `email` and `last_seen`: who uses the seat. Default: not asked. */
  readonly lastSeen?: string | undefined;
  /** Days without use after which a seat counts as idle, at least 1. Default: 30. */
  readonly idleDays?: number | undefined;
  /** What ends or falls due within this duration, such as `30d`. Default: not asked. The service is then not asked either. */
  readonly due?: string | undefined;
}

/** @throws if `month` is not a month */
export function buildReport(
  facts: ReportFacts,
  { month, idleDays = DEFAULT_IDLE_DAYS, due }: ReportOptions = {},
): Report {
  const members = holdersIn(facts.members);
  const { now, lastSeen, products, subscriptionExpiresAt: endsAt } = facts;
  const seatUse = lastSeen && { lastSeen, idleDays, now };
  const options = { now, seatUse, subscriptionExpiresAt: endsAt, products };
  const people = reportedPeople(facts.people, members, options);
  const generatedAt = new Date(now).toISOString();
  const subscription = {
    endsAt: endsAt ?? null,
    daysLeft: endsAt === undefined ? null : daysUntil(endsAt, now),
  };
  return {
    version: 1,
    generatedAt,
    organizationId: facts.organizationId,
    subscription,
    seats: seatsOf(people, facts),
    tokens: countTokens(people, now),
    people,
    seatUse: seatUse === undefined ? null : countSeatUses(people, seatUse),
    machineUsersByPurpose: machineUsersByPurpose(people),
    month: month === undefined ? null : changesIn(month, members, facts),
    drift: facts.drift ?? null,
    due: due === undefined ? null : dueWithin(due, { people, subscription, generatedAt }),
    notes: [
      ...facts.notes,
      ...(month !== undefined && facts.audit === undefined
        ? ["Removed people: unknown, because no audit log exists."]
        : []),
    ],
  };
}

/** A list of the service counts: it shows seats that the state does not have. */
function seatsOf(
  people: readonly ReportedPerson[],
  { seats: purchased, drift }: ReportFacts,
): Report["seats"] {
  const { unmanaged = [], findings = [] } = drift ?? {};
  const usersWith = (...kinds: readonly DriftKind[]): Set<string> =>
    new Set(findings.flatMap(({ kind, userId }) => (kinds.includes(kind) ? userId : [])));
  const lost = usersWith("seatRemoved", "memberRemoved");
  const held = people.filter(({ seat, userId }) => seat !== "none" && !lost.has(userId ?? ""));
  const elsewhere = unmanaged.filter(({ seat }) => seat).length + usersWith("seatAssigned").size;
  const used = held.length + elsewhere;
  return {
    used,
    unconfirmed: people.filter(({ seat }) => seat === "unconfirmed").length,
    purchased: purchased ?? null,
    available: purchased === undefined ? null : purchased - used,
    source: purchased === undefined ? "unknown" : "declared",
  };
}

function machineUsersByPurpose(people: readonly ReportedPerson[]): Report["machineUsersByPurpose"] {
  const managed = people.filter(({ kind, inState }) => kind === "machine" && inState);
  return [...Map.groupBy(managed, ({ purpose }) => purpose ?? "")]
    .map(([purpose, own]) => ({
      purpose,
      total: own.length,
      userIds: own.flatMap(({ userId }) => userId ?? []),
    }))
    .toSorted((a, b) => (a.purpose < b.purpose ? -1 : 1));
}

/** The forms of a report, by name. */
export const reportForms = {
  text: textOf,
  json: (report) => `${JSON.stringify(reportSchema.parse(report), null, 2)}\n`,
  csv: csvOf,
  html: htmlOf,
} as const satisfies Readonly<Record<string, (report: Report) => string>>;
export type ReportForm = keyof typeof reportForms;
