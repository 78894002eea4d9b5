/** `orgseat report`: combines the states of all stacks, the roster and the audit log with what the service can list. */

import { capabilitiesOf } from "../../provider/config/settings.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { counted, countedPeople, messageOf, shortList, THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import { type CollectOptions, factsOf } from "../report/facts.ts";
import { reportMembersOf } from "../report/members.ts";
import { buildReport, type ReportOptions } from "../report/report.ts";
import type { Report } from "../report/schema.ts";
import { type LastSeen, readLastSeen, staleness } from "../roster/last-seen.ts";
import { withoutOffboarded } from "../roster/roster.ts";
import { describeCut, readAudit } from "../service/audit-log.ts";
import { memberDrift } from "../service/drift.ts";
import { listWarnings } from "../service/list-warnings.ts";
import { membersOfService, tokenHolders } from "../service/service-members.ts";
import { declaredPeople, type Organization } from "../stacks/organization.ts";
import { rosterAt } from "../stacks/shards.ts";
import { membersIn, resourcesOf, type State, statesOf } from "../stacks/stack-state.ts";

export async function reportOf(organization: Organization, options: ReportOptions): Promise<Report> {
  const lastSeen = await lastSeenOf(options, organization.now());
  const states = await statesOf(organization);
  if (options.due !== undefined) requireStates(organization, states);
  const found = await driftIn(organization, states, options);
  const old = lastSeen && staleness(lastSeen, organization.now());
  const notes = old === undefined ? [] : [`The idle seats are those of an old file: ${old}.`];
  return reportOfStates(organization, states, options, {
    ...{ ...found, notes: [...notes, ...(found.notes ?? [])], lastSeen },
  });
}

/**
 * What is due without the states of all people is no alarm.
 * @throws Error for stacks that do not exist, although they should have people, and for a resource that this release cannot read
 */
function requireStates(organization: Organization, states: ReadonlyMap<string, State>): void {
  const { newStacks, roster, engine } = organization;
  const missing = newStacks.filter(
    (stack) => declaredPeople(organization, rosterAt(organization, stack)).length > 0,
  );
  if (missing.length > 0) {
    const people = missing.flatMap((stack) => declaredPeople(organization, rosterAt(organization, stack)));
    const backend = engine.target?.backend || "the backend that Pulumi is logged in to";
    throw new CodedError(
      "not-found",
      `cannot tell what is due: ${counted(missing.length, "stack")} of ${countedPeople(people.length)} of ${roster.file} ${missing.length === 1 ? "does" : "do"} not exist (${shortList(missing)}) in ${backend}. Check --stack, PULUMI_BACKEND_URL, and the project; if the roster is new, run \`orgseat up\` first`,
    );
  }
  const resources = [...states].flatMap(([stack, state]) => resourcesOf(stack, state));
  const { unreadable } = reportMembersOf(resources);
  if (unreadable.length > 0)
    throw new CodedError(
      "newer-state",
      `cannot tell what is due: cannot read ${shortList(unreadable)}. A newer release of orgseat may have written it: upgrade orgseat, ${THEN_RUN_AGAIN}`,
    );
}

type Found = Pick<CollectOptions, "drift" | "notes" | "lastSeen" | "products">;

/** From states, roster, and audit log, without a request. @param found what was read elsewhere */
export async function reportOfStates(
  organization: Organization,
  states: ReadonlyMap<string, State>,
  options: ReportOptions = {},
  found: Found = {},
): Promise<Report> {
  const { roster, offboarded, settings, auditFile, now } = organization;
  const expected = { ...roster, people: withoutOffboarded(roster.people, offboarded) };
  const audit = await readAudit(auditFile);
  const cut =
    audit === undefined
      ? []
      : describeCut(auditFile, audit).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  const facts = factsOf(states, expected, audit?.lines, {
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
  states: ReadonlyMap<string, State>,
  { tokens = false, due }: ReportOptions,
): Promise<Found> {
  const { settings } = organization;
  if (due !== undefined || !capabilitiesOf(settings).canListUsers) return {};
  const managed = membersIn(states);
  try {
    const tokensOf = tokens ? tokenHolders(managed) : () => [];
    const members = await membersOfService(organization, { managed, tokensOf });
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
