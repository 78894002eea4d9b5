/** What an organization has, at one moment: from facts to a report, with no file and no network. */
import { z } from "zod";
import type { ReportFacts, StateResource } from "./facts.ts";
import { type ReportMember, reportMembersOf } from "./members.ts";
import { changesIn } from "./month.ts";
import { reportedPeople } from "./people.ts";
import type { Report, ReportedPerson } from "./schema.ts";
import { countTokens, daysUntil } from "./tokens.ts";

export interface ReportOptions {
  /** Who joined and left in it, such as `2026-11`, in UTC. Default: not asked. */
  readonly month?: string | undefined;
}

/** @throws where `month` is no month */
export function report(facts: ReportFacts, { month }: ReportOptions = {}): Report {
  const { members, unreadable } = reportMembersOf(facts.resources);
  const people = reportedPeople(facts.people, members, facts.now);
  const endsAt = facts.subscriptionExpiresAt;
  return {
    version: 1,
    generatedAt: new Date(facts.now).toISOString(),
    organizationId: facts.organizationId ?? null,
    subscription: {
      endsAt: endsAt ?? null,
      daysLeft: endsAt === undefined ? null : daysUntil(endsAt, facts.now),
    },
    seats: seatsOf(people, facts.seats),
    tokens: countTokens(people),
    people,
    managedByPurpose: managedByPurpose(people),
    month: month === undefined ? null : changesIn(month, members, facts),
    notes: [
      ...facts.notes,
      ...unreadable.map(
        (what) =>
          `${what} cannot be read and is not counted; a newer release of orgseat may have written it.`,
      ),
      ...onboardedNote(facts.resources, members),
      ...(month !== undefined && facts.audit === undefined
        ? ["No audit log was given, so nobody knows here who left."]
        : []),
    ],
  };
}

function seatsOf(people: readonly ReportedPerson[], bought: number | undefined): Report["seats"] {
  const used = people.filter(({ seat }) => seat !== "none").length;
  return {
    used,
    unconfirmed: people.filter(({ seat }) => seat === "unconfirmed").length,
    bought: bought ?? null,
    free: bought === undefined ? null : bought - used,
    source: bought === undefined ? "not known" : "declared",
  };
}

function managedByPurpose(people: readonly ReportedPerson[]): Report["managedByPurpose"] {
  const managed = people.filter(({ kind, inState }) => kind === "managed" && inState);
  return [...Map.groupBy(managed, ({ purpose }) => purpose ?? "")]
    .map(([purpose, own]) => ({
      purpose,
      total: own.length,
      userIds: own.flatMap(({ userId }) => userId ?? []),
    }))
    .toSorted((a, b) => (a.purpose < b.purpose ? -1 : 1));
}

const verdictsSchema = z.record(z.string(), z.unknown()).catch({});
const onboardingSchema = z.object({ verdicts: verdictsSchema, formerVerdicts: verdictsSchema });

/** An onboarding gives seats to people whose user ids nobody learns, so they cannot be counted as people. */
function onboardedNote(resources: readonly StateResource[], members: readonly ReportMember[]): string[] {
  const known = new Set(members.flatMap(({ user }) => user?.email ?? []));
  const letIn = resources
    .filter(({ type }) => type === "Onboarding")
    .map(({ outputs }) => onboardingSchema.parse(outputs))
    .flatMap(({ verdicts, formerVerdicts }) => [
      ...Object.entries(verdicts),
      ...Object.entries(formerVerdicts),
    ])
    .filter(([email, verdict]) => verdict === "inProcess" && !known.has(email));
  const count = new Set(letIn.map(([email]) => email)).size;
  if (count === 0) return [];
  return [
    `${count === 1 ? "1 person was" : `${count} people were`} let in by an onboarding; their seats and tokens are not counted here, because the service does not tell their user ids.`,
  ];
}
