/** The preview of a command: the plan of the roster by the state and, if it needs it, a list of the service. No run of Pulumi. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { MemberPlan } from "../members/plan.ts";
import type { SeenList } from "../members/seen.ts";
import { markersIn, type State } from "../members/state.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import type { StoppedRow } from "../members/stopped.ts";
import { type AccessEnd, accessEndsIn } from "../plan/access-ends.ts";
import { type PlanDocument, planDocument } from "../plan/document.ts";
import { type Drift, driftOf } from "../plan/drift.ts";
import { allowFigures, violationsOf } from "../plan/guards/guards.ts";
import { readOverride } from "../plan/guards/override.ts";
import { ownerIn, rosterIdFor, rosterNoteFor, type StackOwner } from "../plan/guards/ownership.ts";
import { changedPlan, type Violation, withOverrideAdvice } from "../plan/guards/violation.ts";
import { type Absent, absentIn, type PlannedMember, plannedMember } from "../plan/members.ts";
import { type Plan, planOf, settingChanges } from "../plan/plan.ts";
import { type Warning, warningsIn } from "../plan/texts/warnings.ts";
import { factsOf, filesOf, unreadFiles } from "../roster/facts.ts";
import { headFileOf, labelOf, type RosterFacts } from "../roster/roster.ts";
import { auditWarnings } from "../service/audit-log.ts";
import { memberDrift, seatHoldersIn } from "../service/drift.ts";
import { REFRESH_TOKENS } from "../service/token-turns.ts";
import { twinsAmong } from "../service/twins.ts";
import { type Organization, protectionOf } from "../stacks/organization.ts";
import { requireReadableSecrets } from "../stacks/stack-state.ts";
import { chosen, type PlanChoice, withoutRemovals } from "./choice.ts";
import { noticesOf } from "./notices.ts";
import type { PreviewOptions } from "./options.ts";
import { requireKnown } from "./resolve-members.ts";
import { RosterPlanner } from "./roster-planner.ts";
import { approvalOfUndecided, type UndecidedMember } from "./undecided.ts";

export interface Preview {
  readonly plan: Plan;
  /** The plan with what it was made for, and its digest. */
  readonly document: PlanDocument;
  /** Why the plan is not applied; empty if nothing blocks it. */
  readonly violations: readonly Violation[];
  readonly drift: Drift;
  readonly warnings: readonly Warning[];
  /** The people of whom `noRemovals` leaves out all changes, with these. */
  readonly withheld: readonly PlannedMember[];
  /** The number of people with other changes than the command makes: they wait for an `up`. */
  readonly otherChanges: number;
  /** The people of the roster whom the offboarded list excludes: emails, otherwise keys. */
  readonly leftOut: readonly string[];
  /** The people whose access ends within 14 days, and those whom no run adds because it has ended. */
  readonly accessEnds: readonly AccessEnd[];
  /** With `membership: directory`, the people whom the service does not list. */
  readonly absent: Absent;
  /** The people whom the run leaves as they are, because their rows cannot be applied. */
  readonly stopped: readonly StoppedRow[];
  readonly undecided: readonly UndecidedMember[];
  /** The value of `--approve` that adds them; undefined if there are none. */
  readonly undecidedOverride: string | undefined;
  /** The id under which `up` applies the roster; undefined if it is uncertain. */
  readonly rosterId: string | undefined;
  /** What the state will keep of the roster. */
  readonly facts: RosterFacts;
  /** The change that `up` makes in the roster, as a sentence; undefined if it makes none. */
  readonly rosterNote: string | undefined;
  /** Who owns the stack, by its state. */
  readonly owner: StackOwner;
}

/** @throws CodedError if the state or a list cannot be read, or if `approve` is not an override */
export async function previewOf(
  organization: Organization,
  options: PreviewOptions,
  choice: PlanChoice = {},
): Promise<Preview> {
  const { approve, approvedPlan, noRemovals = false } = options;
  if (approve !== undefined) readOverride(approve);
  const { stack, roster, settings, openedAt: now } = organization;
  const state = await organization.state();
  const members = membersIn(stack, state);
  const [made] = await Promise.all([
    new RosterPlanner(organization, { state, members }, options, choice).plan(),
    requireReadableSecrets(organization, state),
  ]);
  const { rosterPlan, list, undecided } = made;
  const mine = chosen(rosterPlan.members, choice);
  const kept = noRemovals ? withoutRemovals(mine) : { members: mine, withheld: [] };
  const owner = ownerIn(stack, organization.engine.target?.project ?? "", state);
  const rosterId = rosterIdFor(roster.id, organization.rosterId, owner);
  const marker = markersIn(state).find((one) => one.rosterId === rosterId);
  const isWhole = choice.part === undefined;
  const facts = factsFor(roster, marker?.facts ?? {}, isWhole);
  const planOptions = {
    ...{ organizationId: roster.organizationId, stack, state: members },
    settings: isWhole && rosterId !== undefined ? settingChanges(stack, rosterId, marker, facts) : [],
    declaredSeats: roster.seats ?? settings.seats,
    seatHolders: list && seatHoldersIn(list.members, settings.product),
    order: organization.listed.map(({ key }) => key),
    fileOf: filesOf(roster, marker === undefined ? [] : [marker.facts]),
  };
  const drawn = planOf(kept.members, planOptions);
  const violations = violationsOf(drawn, {
    ...commandIn(organization, options, choice, owner),
    ...factsIn(organization, members, state),
    inUse: rosterPlan.inUse,
    twins: list === undefined ? [] : twinsAmong(kept.members, members, roster, list),
  });
  const plan = { ...drawn, isComplete: allowFigures(violations) };
  const isDirectory = roster.membership !== undefined;
  const absent = absentIn(!isDirectory ? [] : noRemovals ? kept.members : rosterPlan.members);
  const { stopped } = rosterPlan;
  const document = documentOf(organization, { plan, violations, absent, rosterId: roster.id }, options);
  const warnings = [...made.warnings, ...noticesOf(kept.members), ...(await auditWarnings(organization))];
  const counted = new Set(made.people.map(({ key }) => key));
  const holding = new Set(members.flatMap(({ key, held }) => (held.users.length > 0 ? [key] : [])));
  return {
    ...{ plan, document, absent, stopped, rosterId, facts, owner },
    violations: withOverrideAdvice([...violations, ...changedPlan(approvedPlan, document)]),
    drift: driftIn(organization, members, list, options),
    warnings: warningsIn(warnings, plan.members),
    withheld: kept.withheld.map((one) => plannedMember(one, stack)),
    otherChanges: othersIn(rosterPlan.members, mine),
    leftOut: roster.people.flatMap(({ key, email }) => (counted.has(key) ? [] : (email ?? key))),
    accessEnds: accessEndsIn(made.people, (key) => holding.has(key), now),
    undecided,
    undecidedOverride:
      undecided.length === 0 ? undefined : approvalOfUndecided(undecided, undefined, organization).pass,
    rosterNote: rosterNoteFor({ ...roster, file: headFileOf(roster) }, rosterId, owner),
  };
}

/** What guards know of the command. */
function commandIn(
  { roster, listed, openedAt: now }: Organization,
  { approve, newStack = false }: PreviewOptions,
  { rowsDecide = true, ownership = true, namedOneByOne = false }: PlanChoice,
  owner: StackOwner,
) {
  const own = { file: headFileOf(roster), headerId: roster.id, listed, owner, newStack, namedOneByOne };
  const common = { roster, rowsDecide, override: approve, namedOneByOne, now };
  return { ...common, ownership: ownership ? own : undefined };
}

/** What guards know of the configuration and the state. @throws for a name in `neverRemove` that is unknown */
function factsIn(organization: Organization, members: readonly StateMember[], state: State | undefined) {
  const { file, roster, listed, settings, neverRemove } = organization;
  const rows = listed.map((person) => ({ key: person.key, label: labelOf(person) }));
  const known = [...rows, ...members.map(({ key, label }) => ({ key, label }))];
  // A misspelt protection would protect no one.
  requireKnown(neverRemove, known, `${roster.file} or in the state, and cannot be protected`);
  const rosterFacts = markersIn(state).map((one) => one.facts);
  return {
    ...{ rosterFacts, configuredOrganization: settings.organizationId },
    ...{ protected: protectionOf(organization), unreadFiles: unreadFiles(roster, file, rosterFacts) },
  };
}

/** A command that makes a part of the changes changes no setting. */
function factsFor(roster: Organization["roster"], before: RosterFacts, isWhole: boolean): RosterFacts {
  const after = factsOf(roster, before);
  return isWhole ? after : { ...before, keys: after.keys };
}

/** The number of people of whom the roster changes more than the command. */
function othersIn(all: readonly MemberPlan[], mine: readonly MemberPlan[]): number {
  const made = new Map(mine.map(({ ref, plan }) => [ref, plan.units.length]));
  return all.filter(({ ref, plan }) => plan.units.length > (made.get(ref) ?? 0)).length;
}

function driftIn(
  { settings, roster }: Organization,
  members: readonly StateMember[],
  list: SeenList | undefined,
  { refresh = false }: PreviewOptions,
): Drift {
  const held = members.flatMap(({ held: { users } }) => users);
  const managed = held.reduce(
    (sum, { seat, tokens }) => sum + 1 + (seat === "none" ? 0 : 1) + tokens.length,
    0,
  );
  const read = refresh ? list?.members : undefined;
  const found = read && memberDrift(members, read, settings.product);
  // A directory has more members than a roster, at any time.
  const shown = found && roster.membership !== undefined ? { ...found, unmanaged: [] } : found;
  return driftOf({
    ...{ managed, members: shown, canListMembers: capabilitiesOf(settings).canListUsers },
    ...{ readTokens: read?.tokens.size ?? 0, unreadTokens: read?.unread.size ?? 0 },
  });
}

function documentOf(
  { roster, settings, stack, engine, openedAt, savedAt }: Organization,
  {
    plan,
    violations,
    absent,
    rosterId,
  }: Pick<Preview, "plan" | "violations" | "absent"> & { readonly rosterId: string | undefined },
  {
    refresh = false,
    refreshTokens = REFRESH_TOKENS,
    newStack = false,
    noRemovals = false,
    approve,
  }: PreviewOptions,
): PlanDocument {
  const { project = "", backend = "" } = engine.target ?? {};
  const origin = {
    ...{ rosterId: rosterId ?? null, organizationId: roster.organizationId },
    platform: settings.platform ?? null,
    ...{ project, backend, stack, time: formatInstant(openedAt) },
    ...{ refresh, refreshTokens: refresh ? refreshTokens : null, newStack, noRemovals },
    approve: approve ?? null,
    pending: absent.pending.map(({ key }) => key),
    gone: absent.gone.map(({ userId }) => userId),
    isApplicable: plan.isComplete && violations.length === 0,
  };
  return planDocument(origin, plan.entries, savedAt ?? null);
}
