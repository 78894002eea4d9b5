/** `orgseat report`: combines the state, the roster and the audit log with what the service can list. */

import { capabilitiesOf } from "../../provider/config/settings.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { countedPeople, messageOf } from "../../provider/util/text.ts";
import type { State } from "../members/state.ts";
import { membersIn } from "../members/state-members.ts";
import { type CollectOptions, factsOf } from "../report/facts.ts";
import { buildReport, type ReportOptions } from "../report/report.ts";
import type { Report } from "../report/schema.ts";
import { type LastSeen, readLastSeen, staleness } from "../roster/last-seen.ts";
import { withoutOffboarded } from "../roster/roster.ts";
import { describeCut, readAudit } from "../service/audit-log.ts";
import { memberDrift } from "../service/drift.ts";
import { listWarnings } from "../service/list-warnings.ts";
import { managedUsers, membersOfService, tokenHolders } from "../service/service-members.ts";
import { declaredPeople, type Organization } from "../stacks/organization.ts";

export async function reportOf(organization: Organization, options: ReportOptions): Promise<Report> {
  const lastSeen = await lastSeenOf(options, organization.now());
  const state = await organization.state();
  if (options.due !== undefined) requireState(organization);
  const found = await driftIn(organization, state, options);
  const old = lastSeen && staleness(lastSeen, organization.now());
  const notes = old === undefined ? [] : [`The idle seats are those of an old file: ${old}.`];
  return reportOfState(organization, state, options, {
    ...{ ...found, notes: [...notes, ...(found.notes ?? [])], lastSeen },
  });
}

/**
 * What is due without the state of all people is no alarm.
 * @throws Error for a stack that does not exist, although it should have people
 */
function requireState(organization: Organization): void {
  const { stack, isNew, roster, engine } = organization;
  const people = declaredPeople(organization);
  if (isNew && people.length > 0) {
    const backend = engine.target?.backend || "the backend that Pulumi is logged in to";
    throw new CodedError(
      "not-found",
      `cannot tell what is due: stack ${stack} of ${countedPeople(people.length)} of ${roster.file} does not exist in ${backend}. Check --stack, PULUMI_BACKEND_URL, and the project; if the roster is new, run \`orgseat up\` first`,
    );
  }
}

type Found = Pick<CollectOptions, "drift" | "notes" | "lastSeen" | "products">;

/** From state, roster, and audit log, without a request. @param found what was read elsewhere */
export async function reportOfState(
  organization: Organization,
  state: State | undefined,
  options: ReportOptions = {},
  found: Found = {},
): Promise<Report> {
  const { stack, roster, offboarded, settings, auditFile, now } = organization;
  const expected = { ...roster, people: withoutOffboarded(roster.people, offboarded) };
  const audit = await readAudit(auditFile);
  const cut =
    audit === undefined
      ? []
      : describeCut(auditFile, audit).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  const facts = factsOf(stack, state, expected, audit?.lines, {
    ...{ ...found, notes: [...cut, ...(found.notes ?? [])] },
    now: now(),
    subscriptionExpiresAt: settings.subscriptionExpiresAt,
    seats: settings.seats,
    names: namesOf(offboarded),
  });
  return buildReport(facts, options);
}

async function lastSeenOf({ lastSeen, idleDays }: ReportOptions, now: number): Promise<LastSeen | undefined> {
  if (lastSeen !== undefined) return readLastSeen(lastSeen, now);
  if (idleDays === undefined) return undefined;
  throw new CodedError("invalid-flag", "cannot tell which seats are idle: pass --last-seen FILE too");
}

/** Nothing if the service cannot list its members; a note instead if they cannot be read. */
async function driftIn(
  organization: Organization,
  state: State | undefined,
  { tokens = false, due }: ReportOptions,
): Promise<Found> {
  const { settings } = organization;
  if (due !== undefined || !capabilitiesOf(settings).canListUsers) return {};
  const managed = membersIn(organization.stack, state);
  try {
    const tokensOf = tokens ? tokenHolders(managed) : () => [];
    const members = await membersOfService(organization, { managed: managedUsers(managed), tokensOf });
    const { findings, unmanaged } = memberDrift(managed, members, settings.product);
    return {
      drift: { tokens, findings: [...findings], unmanaged: [...unmanaged] },
      notes: listWarnings(members, settings.product),
      products: productsOf(members),
    };
  } catch (error) {
    const reason = messageOf(error);
    return { notes: [`Drift not checked: ${reason}`] };
  }
}

/** The product codes of the users whose subscriptions the list shows. */
export function productsOf({ users }: ServiceMembers): ReadonlyMap<string, readonly string[]> {
  return new Map(
    users.flatMap(({ id, subscriptions }) => (subscriptions ? [[id, subscriptions] as const] : [])),
  );
}

/** The names of offboarded people by user id. */
function namesOf(offboarded: Organization["offboarded"]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const { userId, email, key } of offboarded) {
    const name = email ?? key;
    if (userId !== undefined && name !== undefined) names[userId] = name;
  }
  return names;
}
