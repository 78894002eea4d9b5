/** The preview of a command: the plan of the roster by the state and, if it needs it, a list of the service. No run of Pulumi. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { noteText } from "../../provider/member/texts.ts";
import { canOf } from "../../provider/member/wanted.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { Diagnostic } from "../engine/engine.ts";
import { type CheckInputs, inputCheck } from "../members/check.ts";
import {
  type Decision,
  type MemberPlan,
  planRoster,
  type RosterPlan,
  type StoppedRow,
} from "../members/plan.ts";
import { type SeenList, seenList } from "../members/seen.ts";
import { markersIn, type State } from "../members/state.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import type { AccessEnd } from "../plan/access-ends.ts";
import { type PlanDocument, planDocument } from "../plan/document.ts";
import { type Drift, driftOf } from "../plan/drift.ts";
import { allowFigures, violationsOf } from "../plan/guards/guards.ts";
import { overrideError, overrideFor, readOverride } from "../plan/guards/override.ts";
import { rosterIdFor, rosterNoteFor, type StackOwner } from "../plan/guards/ownership.ts";
import { changedPlan, type Violation, withOverrideAdvice } from "../plan/guards/violation.ts";
import { type Absent, absentIn, identityOf, type PlannedMember, plannedMember } from "../plan/members.ts";
import { type Plan, planOf, type Removal } from "../plan/plan.ts";
import { settingChanges } from "../plan/settings.ts";
import { type Warning, warningsIn } from "../plan/texts/warnings.ts";
import { factsOf, filesOf } from "../roster/facts.ts";
import { type OffboardedPerson, onDeleteOf, withLater } from "../roster/offboarded.ts";
import {
  headFileOf,
  type RosterFacts,
  type RosterPerson,
  withCurrentUsers,
  withoutOffboarded,
} from "../roster/roster.ts";
import { auditLinesIn, auditWarnings } from "../service/audit-log.ts";
import { memberDrift, seatHoldersIn } from "../service/drift.ts";
import { type Interrupted, interruptedIn } from "../service/interrupted.ts";
import { listWarnings } from "../service/list-warnings.ts";
import { REFRESH_TOKENS, type RefreshTokens } from "../service/token-turns.ts";
import { twinsAmong } from "../service/twins.ts";
import { type Organization, userIdsIn } from "../stacks/organization.ts";
import { requireReadableSecrets, stateOf } from "../stacks/stack-state.ts";
import { chosen, type PlanChoice, withoutRemovals } from "./choice.ts";
import { guardContextOf, ownerIn } from "./guard-context.ts";
import { canAsk, listed, listedIfPossible, type ReadOptions, refreshed, withTokens } from "./lists.ts";
import { accessEndsOf, ignoredMarks, leftOutOf } from "./notices.ts";

export interface PreviewOptions {
  /** An override of the removal limit, or of undecided creations, as a plan printed it. */
  readonly approve?: string | undefined;
  /** Whether to leave out everyone of whom the plan takes anything. Default: false. */
  readonly noRemovals?: boolean | undefined;
  /** Whether a roster that was applied before may be applied to a stack that does not have it. Default: false. */
  readonly newStack?: boolean | undefined;
  /** Whether each member is compared with what the service can list. Default: false. */
  readonly refresh?: boolean | undefined;
  /**
   * Of a refresh, the number of tokens to read besides those of people whom the plan changes, if the service lists
   * tokens. Default: 90, other ones on each day.
   */
  readonly refreshTokens?: RefreshTokens | undefined;
  /** Gets the number of people whose tokens a refresh has read, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The plan that must be applied, and no other: a guard refuses a plan that differs. Default: any. */
  readonly approvedPlan?: PlanDocument | undefined;
}

/** A member about whom a decision is due: nothing shows whether a request had an effect. */
export interface UndecidedMember {
  readonly key: string;
  readonly who: string;
  /** When it was requested, a timestamp. */
  readonly time: string;
  /** Why, and what to do. */
  readonly text: string;
}

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
  const { engine, stack, roster, settings, openedAt: now } = organization;
  const state = await stateOf(engine, stack);
  await requireReadableSecrets(organization, state);
  const members = membersIn(stack, state);
  const made = await new RosterPlanner(organization, { state, members }, options, choice).plan();
  const { rosterPlan, list, undecided } = made;
  const mine = chosen(rosterPlan.members, choice);
  const kept = noRemovals ? withoutRemovals(mine) : { members: mine, withheld: [] };
  const owner = ownerIn(organization, state);
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
  const context = guardContextOf(organization, {
    ...{ options, choice, owner, members, facts: markersIn(state).map((one) => one.facts) },
    inUse: rosterPlan.inUse,
    twins: list === undefined ? [] : twinsAmong(kept.members, members, roster, list),
  });
  const violations = violationsOf(drawn, context);
  const plan = { ...drawn, isComplete: allowFigures(violations) };
  const isDirectory = roster.membership !== undefined;
  const absent = absentIn(!isDirectory ? [] : noRemovals ? kept.members : rosterPlan.members);
  const { stopped } = rosterPlan;
  const document = documentOf(organization, { plan, violations, absent, rosterId: roster.id }, options);
  const diagnostics = [
    ...made.diagnostics,
    ...warningsOf(kept.members, stack),
    ...(await auditWarnings(organization)),
  ];
  return {
    ...{ plan, document, absent, stopped, rosterId, facts, owner },
    violations: withOverrideAdvice([...violations, ...changedPlan(approvedPlan, document)]),
    drift: driftIn(organization, members, list, options),
    warnings: warningsIn(diagnostics, plan.members),
    withheld: kept.withheld.map((one) => plannedMember(one, stack)),
    otherChanges: othersIn(rosterPlan.members, mine, stack),
    leftOut: leftOutOf(organization, members),
    accessEnds: accessEndsOf(organization, members),
    undecided,
    undecidedOverride: undecided.length === 0 ? undefined : overrideOfUndecided(organization, undecided, now),
    rosterNote: rosterNoteFor({ ...roster, file: headFileOf(roster) }, rosterId, owner),
  };
}

/** A command that makes a part of the changes changes no setting. */
function factsFor(roster: Organization["roster"], before: RosterFacts, isWhole: boolean): RosterFacts {
  const after = factsOf(roster, before);
  return isWhole ? after : { ...before, keys: after.keys };
}

interface Made {
  readonly rosterPlan: RosterPlan;
  readonly list: SeenList | undefined;
  readonly undecided: readonly UndecidedMember[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Plans until everything is read that the plan depends on. */
class RosterPlanner {
  readonly #organization: Organization;
  readonly #members: readonly StateMember[];
  readonly #options: PreviewOptions;
  readonly #choice: PlanChoice;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #interrupted: Interrupted;
  readonly #check: CheckInputs;

  constructor(
    organization: Organization,
    { state, members }: { readonly state: State | undefined; readonly members: readonly StateMember[] },
    options: PreviewOptions,
    choice: PlanChoice,
  ) {
    const held = new Set(members.flatMap((member) => member.held.users.map(({ id }) => id)));
    this.#interrupted = interruptedIn({
      ...{ stack: organization.stack, organizationId: organization.roster.organizationId, state },
      lines: auditLinesIn(organization.auditFile),
      isHeld: (id) => held.has(id),
    });
    const { config: values, environment, now } = organization;
    this.#check = inputCheck({ config: (key) => values.get(key), environment, now });
    this.#organization = organization;
    this.#members = members;
    this.#options = options;
    this.#choice = choice;
  }

  async plan(): Promise<Made> {
    const { offboarded: known, offboardedFile } = this.#organization;
    const offboarded = await withLater(known, offboardedFile);
    const people = this.#peopleWithout(offboarded);
    const decisions = this.#decisions(offboarded);
    const planWith = (list: SeenList | undefined, all = decisions) => this.#planWith(people, list, all);
    const first = await planWith(undefined);
    const list = await this.#list(first);
    let rosterPlan = list === undefined ? first : await planWith(list);
    const read = list && (await this.#withTokens(list, rosterPlan));
    if (read !== list && read !== undefined) rosterPlan = await planWith(read);
    const undecided = undecidedIn(rosterPlan.members);
    if (this.#isApproved(undecided)) {
      const missing = new Map(rosterPlan.members.flatMap(missingIn));
      const all = new Map([...decisions, ...missing]);
      return { ...this.#made(await planWith(read, all), read), undecided: [] };
    }
    return { ...this.#made(rosterPlan, read), undecided };
  }

  #made(rosterPlan: RosterPlan, list: SeenList | undefined): Omit<Made, "undecided"> {
    const { stack, settings } = this.#organization;
    const listed = list === undefined ? [] : listWarnings(list.members, settings.product);
    const diagnostics = [...this.#diagnostics, ...listed.map((text) => warning(stack, text))];
    return { rosterPlan, list, diagnostics };
  }

  /** Those of the offboarded list, and those of the command. */
  #decisions(offboarded: readonly OffboardedPerson[]): Map<string, Decision> {
    const ruleOf = onDeleteOf(offboarded);
    const found = this.#members.flatMap(({ key, userId, email, held }) => {
      const removal = ruleOf({ key, userId, email });
      return removal === undefined ? [] : [[held.ref, { removal }] as const];
    });
    const all = new Map<string, Decision>(found);
    for (const [ref, decision] of this.#choice.decisions ?? [])
      all.set(ref, { ...all.get(ref), ...decision });
    return all;
  }

  /** The rows that count. */
  #peopleWithout(offboarded: readonly OffboardedPerson[]): RosterPerson[] {
    const { roster, readmitted } = this.#organization;
    const excluded = offboarded.filter(({ userId = "" }) => readmitted?.has(userId) !== true);
    return withoutOffboarded(withCurrentUsers(roster.people, userIdsIn(this.#members)), excluded);
  }

  #planWith(
    people: readonly RosterPerson[],
    list: SeenList | undefined,
    decisions: ReadonlyMap<string, Decision>,
  ): Promise<RosterPlan> {
    const { roster, settings, openedAt: now } = this.#organization;
    return planRoster({
      ...{ roster, people, members: this.#members, list, decisions, now },
      isRefreshed: this.#isRefreshed(),
      can: canOf(capabilitiesOf(settings)),
      creationOf: this.#interrupted.creationOf,
      subscriptionExpiresAt: settings.subscriptionExpiresAt,
      check: this.#check,
    });
  }

  /** The members of a directory come and go without orgseat, so each plan of all changes reads their list. */
  #isRefreshed(): boolean {
    const { roster } = this.#organization;
    const isDirectory = roster.membership !== undefined && this.#choice.part === undefined;
    return this.#options.refresh === true || isDirectory;
  }

  async #list(first: RosterPlan): Promise<SeenList | undefined> {
    const organization = this.#organization;
    const { settings, members: known } = organization;
    if (known !== undefined) return seenList(known, settings.product, this.#interrupted.users);
    if (!canAsk(organization)) return undefined;
    const found = await this.#read(first);
    return found && seenList(found, settings.product, this.#interrupted.users);
  }

  async #read(first: RosterPlan) {
    const organization = this.#organization;
    const options: ReadOptions = { ...this.#options, refresh: this.#options.refresh === true };
    if (options.refresh) return refreshed(organization, this.#members, affectedUsers(first), options);
    if (this.#isRefreshed()) return listed(organization, this.#members, true, options);
    const mine = chosen(first.members, this.#choice);
    if (first.asksList && (this.#choice.part === undefined || mine.length > 0))
      return listed(organization, this.#members, first.members.some(isPending), options);
    const assigns = mine.some(({ plan }) =>
      plan.units.some(({ steps }) => steps.some(({ seats }) => seats > 0)),
    );
    if (!assigns) return undefined;
    const found = await listedIfPossible(organization, options);
    if (typeof found !== "string") return found;
    this.#diagnostics.push(warning(organization.stack, found));
    return undefined;
  }

  async #withTokens(list: SeenList, { asksTokens }: RosterPlan): Promise<SeenList> {
    if (asksTokens.length === 0) return list;
    const options = { ...this.#options, refresh: false };
    const members = await withTokens(this.#organization, list.members, asksTokens, options);
    return seenList(members, this.#organization.settings.product, this.#interrupted.users);
  }

  #isApproved(undecided: readonly UndecidedMember[]): boolean {
    const { approve } = this.#options;
    const { roster, openedAt } = this.#organization;
    if (approve === undefined || undecided.length === 0) return false;
    return (
      overrideError(approve, roster.organizationId, removalsOfUndecided(undecided), openedAt) === undefined
    );
  }
}

/** A list that lacks many people proves nothing about a request without an answer. */
function isPending({ observed }: MemberPlan): boolean {
  return observed.held.pending !== undefined;
}

/** The users of the members whom the plan changes. */
function affectedUsers({ members }: RosterPlan): Set<string> {
  const changed = members.filter(({ plan }) => plan.units.length > 0);
  return new Set(changed.flatMap(({ observed }) => observed.stored.users.map(({ id }) => id)));
}

function undecidedIn(members: readonly MemberPlan[]): UndecidedMember[] {
  return members.flatMap((member) => {
    const [missing] = missingIn(member);
    const wait = member.plan.waits.find(({ since }) => since !== undefined);
    if (missing === undefined || wait === undefined) return [];
    const planned = plannedMember(member, "");
    return { key: member.key, who: member.label, time: wait.since ?? "", text: planned.reasons.join(" ") };
  });
}

/** The decision that lets a member go on whose user does not exist. */
function missingIn({ ref, plan }: MemberPlan): (readonly [ref: string, decision: Decision])[] {
  const wait = plan.waits.find(
    ({ reason }) => reason === "userUndecided" || reason === "removalUndecided" || reason === "pendingOther",
  );
  if (wait?.since === undefined) return [];
  const of = wait.reason === "removalUndecided" ? "removal" : "creation";
  return [[ref, { missing: { of, since: wait.since } }]];
}

function removalsOfUndecided(undecided: readonly UndecidedMember[]): Removal[] {
  return undecided.map(({ key, time }) => ({ operation: "add user", id: `${key} requested at ${time}` }));
}

function overrideOfUndecided(
  { roster }: Organization,
  undecided: readonly UndecidedMember[],
  now: number,
): string {
  return overrideFor(roster.organizationId, removalsOfUndecided(undecided), now);
}

function warning(stack: string, text: string): Diagnostic {
  return { stack, severity: "warning", urn: undefined, text };
}

/** The notes about members. Another block of the preview lists whose access ends soon. */
function warningsOf(members: readonly MemberPlan[], stack: string): Diagnostic[] {
  const notes = members.flatMap(({ plan, label: who }) =>
    plan.notes
      .filter(({ kind }) => kind !== "accessEndsSoon")
      .map((note) => noteText(note, { who, isRow: true })),
  );
  const marks = ignoredMarks(members);
  return [...notes, ...marks].map((text) => warning(stack, text));
}

/** The number of people of whom the roster changes more than the command. */
function othersIn(all: readonly MemberPlan[], mine: readonly MemberPlan[], stack: string): number {
  const made = new Map(mine.map(({ ref, plan }) => [ref, plan.units.length]));
  const others = all.filter(({ ref, plan }) => plan.units.length > (made.get(ref) ?? 0));
  return new Set(others.map((one) => identityOf(plannedMember(one, stack)))).size;
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
