import { capabilitiesOf } from "../../provider/config/settings.ts";
import { codeOf } from "../../provider/util/error-codes.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { messageOf } from "../../provider/util/text.ts";
import type { Progress } from "../engine/engine.ts";
import { endedAccessIn } from "../plan/access-ends.ts";
import { type PlanDocument, planDocument } from "../plan/document.ts";
import { type Drift, driftOf } from "../plan/drift.ts";
import { readOverride } from "../plan/guards/override.ts";
import { isNotOurs } from "../plan/guards/ownership.ts";
import { changedPlan, type Violation, withOverrideAdvice } from "../plan/guards/violation.ts";
import type { PlannedMember } from "../plan/members.ts";
import type { Plan, PlanOptions } from "../plan/plan.ts";
import { withKeptTokens, withMembership, withOnDelete } from "../plan/steps/rules.ts";
import { type Step, textIn } from "../plan/steps/steps.ts";
import { type Warning, warningsIn } from "../plan/texts/warnings.ts";
import { filesOf } from "../roster/facts.ts";
import { onDeleteOf, withLater } from "../roster/offboarded.ts";
import { auditWarnings } from "../service/audit-log.ts";
import { memberDrift, seatHoldersIn } from "../service/drift.ts";
import { listWarnings } from "../service/list-warnings.ts";
import { hidesUsers, rolesOf, runAllWithMembers, withServiceMembers } from "../service/service-members.ts";
import { REFRESH_TOKENS, type RefreshTokens } from "../service/token-turns.ts";
import { withUnmanaged } from "../service/unmanaged.ts";
import type { PreviewOutcome, StackPart } from "../stacks/all-stacks.ts";
import type { Connection, Declaration, Files, Organization, PlacedStacks } from "../stacks/organization.ts";
import {
  isCounted,
  type Move,
  misplacedMembers,
  type Placement,
  placePeople,
  ShardMismatch,
  staleMembers,
} from "../stacks/shards.ts";
import { managedMembers } from "../stacks/stack-state.ts";
import { type EarlierCreation, earlierCreations, withUndecided } from "./creations.ts";
import { boundsOf, evaluate, partOf } from "./evaluate.ts";
import { type GuardChoice, type GuardOptions, guardContextOf } from "./guard-context.ts";
import { membersForPlan } from "./listed-members.ts";
import { type Notices, noticesOf, stoppedIn } from "./notices.ts";
import { withoutRemovals, withoutStopped, withRemovals } from "./withheld.ts";

export interface PreviewOptions extends GuardOptions {
  /** Whether the run first reads what the service can list. Default: false. */
  readonly refresh?: boolean | undefined;
  /**
   * Of a refresh, the number of tokens to read besides those of people whom the run can change, if the service lists
   * tokens. Default: 90, other ones on each day.
   */
  readonly refreshTokens?: RefreshTokens | undefined;
  /** Gets the number of people whose tokens a refresh has read, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  /** Is called after the preview of each stack. */
  readonly onPreviewed?: ((stack: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The plan that must be applied, and no other: a guard refuses a preview that differs. Default: any. */
  readonly approvedPlan?: PlanDocument | undefined;
}

export interface Preview extends Notices {
  /** Machine users of the plan whom an earlier run may have created: they wait for a decision. */
  readonly creations: readonly EarlierCreation[];
  readonly plan: Plan;
  /** The plan with what it was made for, and its digest. */
  readonly document: PlanDocument;
  /** Why the plan is not applied; empty if nothing blocks it. */
  readonly violations: readonly Violation[];
  readonly drift: Drift;
  /** Those of the diagnostics, in the words of the roster. */
  readonly warnings: readonly Warning[];
  /** The URNs that the command may touch; undefined: all. */
  readonly targets: ReadonlySet<string> | undefined;
  /** The people of whom `noRemovals` leaves out all changes, with these. */
  readonly withheld: readonly PlannedMember[];
  /** The number of people with other changes than the command makes: they wait for an `up`. */
  readonly otherChanges: number;
  /** Keys of the people whose state `up` first moves to another stack, without a call. */
  readonly moving: readonly string[];
  /** By stack, the people whom a run can change; without the stacks that Pulumi previewed whole. */
  readonly parts: ReadonlyMap<string, StackPart>;
}

/** @throws ShardMismatch; if `approve` is not an override */
export async function previewOf(
  organization: Organization,
  options: PreviewOptions,
  given: GuardChoice = {},
): Promise<Preview> {
  const { approve, approvedPlan, refresh, noRemovals, signal } = options;
  if (approve !== undefined) readOverride(approve);
  const outcomes = await previewStacks(organization, options);
  const steps = outcomes.flatMap((outcome) => outcome.steps);
  const meant = { ...given, narrow: await narrowingOf(organization, steps, given) };
  const { choice: all, isStopped } = withoutStopped(meant, stoppedIn(organization, outcomes));
  const { choice, isWithheld, withheld } = noRemovals
    ? withoutRemovals(all, steps, planOptionsOf(organization))
    : withRemovals(all);
  const part = partOf(choice, outcomes, organization.openedAt);
  const whole = partOf(all, outcomes, organization.openedAt);
  const { members, twins, warnings: unlisted } = await membersForPlan(organization, steps, choice, signal);
  const listedUsers = choice.listedUsers ?? (members && rolesOf(members));
  const previewed = { steps, outcomes, listedUsers, isHiding: hidesUsers(members), twins };
  const context = guardContextOf(organization, previewed, options, choice);
  const planOptions = {
    ...planOptionsOf({ ...organization, members }),
    fileOf: filesOf(context.roster, context.rosterFacts),
  };
  const { plan, violations, faulty } = evaluate(outcomes, part, whole, context, planOptions);
  // The people of a stack that is not ours are in no wrong stack.
  const isOurs = !violations.some(({ guard }) => isNotOurs(guard));
  if (isOurs) refuse(organization, misplacedMembers(organization, steps));
  const counted = outcomes.filter((outcome) => !faulty.includes(outcome));
  const others = counted
    .flatMap((outcome) => outcome.steps)
    .filter((step) => !isWithheld(step) && !isStopped(step));
  const bounds = boundsOf(part, others, organization.openedAt);
  const notices = noticesOf(organization, outcomes, faulty);
  const document = documentOf(organization, { plan, violations, ...notices }, options);
  const listed = members === undefined ? [] : listWarnings(members, organization.settings.product);
  const diagnostics = [
    ...(await auditWarnings(organization)),
    ...unlisted,
    ...listed.map((text) => ({ stack: "", urn: undefined, severity: "warning", text }) as const),
    ...notices.diagnostics,
  ];
  return {
    creations: earlierCreations(plan.steps),
    ...{ ...notices, ...bounds, plan, withheld, document, diagnostics, moving: [] },
    parts: new Map(
      outcomes.flatMap(({ stack, part }) => (part === undefined ? [] : [[stack, part] as const])),
    ),
    violations: withOverrideAdvice([...violations, ...changedPlan(approvedPlan, document)]),
    drift: await driftIn(organization, steps, refresh),
    warnings: warningsIn(diagnostics, plan.members),
  };
}

/** What the command makes of a step. The entry of an offboarded person decides, whatever becomes of people whose rows are deleted. */
async function narrowingOf(
  { offboarded, offboardedFile, roster }: Declaration & Files,
  steps: readonly Step[],
  { narrow = (step) => step }: GuardChoice,
): Promise<(step: Step) => Step> {
  const onDelete = onDeleteOf(await withLater(offboarded, offboardedFile));
  const emails = new Map(
    steps.flatMap(({ type, member, olds }) => (type === "OrgUser" ? [[member, textIn(olds, "email")]] : [])),
  );
  return (step) => {
    const { action, member: key, id: userId } = step;
    const rule = action === "delete" ? onDelete({ key, userId, email: emails.get(key) }) : undefined;
    const meant = rule === undefined ? step : withOnDelete(step, rule);
    return narrow(roster.membership === undefined ? meant : withMembership(meant));
  };
}

/** Every person once, with what the service has already of the people whom the previews create. */
async function previewStacks(
  organization: Organization,
  { refresh, listener, onPreviewed: onEnd, signal }: PreviewOptions,
): Promise<PreviewOutcome[]> {
  refuse(organization, await staleMembers(organization));
  const found = await runAllWithMembers(organization, {
    operation: "preview",
    refresh,
    listener,
    signal,
    onEnd,
  });
  const counted = found.map(({ steps, ...outcome }) => ({
    ...outcome,
    steps: withKeptTokens(steps.filter(({ stack, member }) => isCounted(organization, stack, member))),
  }));
  const marked = await withUndecided(organization, counted, signal);
  return withUnmanaged(organization, await withSecretsRead(organization, marked), signal);
}

/**
 * Pulumi decrypts the secrets of the stacks that it runs. If it runs none, the secrets of one are read, so that a wrong
 * passphrase does not wait until something is due.
 */
async function withSecretsRead(
  { engine }: PlacedStacks,
  outcomes: readonly PreviewOutcome[],
): Promise<readonly PreviewOutcome[]> {
  const isAnyRun = outcomes.some(({ part }) => part === undefined || part.targets.length > 0);
  const unread = outcomes.find(({ steps }) => steps.some(({ type }) => type === "UserToken"));
  if (isAnyRun || unread === undefined) return outcomes;
  try {
    await engine.exportWithSecrets(unread.stack);
    return outcomes;
  } catch (error) {
    const text = messageOf(error);
    const failure = { code: codeOf(error) ?? ("pulumi-failed" as const), text };
    return outcomes.map((one) => (one === unread ? { ...one, failure } : one));
  }
}

function planOptionsOf({ roster, settings, listed, members, openedAt: now }: Organization): PlanOptions {
  return {
    organizationId: roster.organizationId,
    declaredSeats: roster.seats ?? settings.seats,
    seatHolders: members && seatHoldersIn(members, settings.product),
    endedAccess: endedAccessIn(roster.people, now),
    order: listed.map(({ key }) => key),
    now,
  };
}

function documentOf(
  { roster, settings, stacks, engine, openedAt, savedAt }: Declaration & PlacedStacks & Connection,
  { plan, violations, failures, absent }: Pick<Preview, "plan" | "violations" | "failures" | "absent">,
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
    rosterId: roster.id ?? null,
    organizationId: roster.organizationId,
    platform: settings.platform ?? null,
    project,
    backend,
    stacks: [...stacks],
    time: formatInstant(openedAt),
    refresh,
    refreshTokens: refresh ? refreshTokens : null,
    newStack,
    noRemovals,
    approve: approve ?? null,
    pending: absent.pending.map(({ key }) => key),
    gone: absent.gone.map(({ userId }) => userId),
    isApplicable: plan.isComplete && violations.length === 0 && failures.length === 0,
  };
  return planDocument(origin, plan.entries, Object.fromEntries(savedAt));
}

async function driftIn(
  organization: Organization,
  steps: readonly Step[],
  refreshed = false,
): Promise<Drift> {
  const { members: read, settings, roster } = organization;
  const { canListUsers: canListMembers } = capabilitiesOf(settings);
  const found = read && memberDrift(await managedMembers(organization), read, settings.product);
  // A directory has more members than a roster, at any time.
  const members = found && roster.membership !== undefined ? { ...found, unmanaged: [] } : found;
  const { tokens, unread: unreadTokens = new Set<string>() } = read ?? {};
  return driftOf(steps, { refreshed, canListMembers, members, readTokens: tokens?.size ?? 0, unreadTokens });
}

function refuse({ stacks }: PlacedStacks, moves: readonly Move[]): void {
  if (moves.length > 0) throw new ShardMismatch(moves, stacks.length);
}

export async function previewAll(organization: Organization, given: PreviewOptions): Promise<Preview> {
  const options = withDirectory(organization, given);
  const opened = options.refresh ? await withServiceMembers(organization, options) : organization;
  try {
    return await previewOf(opened, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return previewWithMoves(await placePeople(opened), options);
  }
}

/** The members of a directory come and go without orgseat, so each plan of all changes begins with a refresh of their list. */
export function withDirectory<Options extends PreviewOptions>(
  { roster, settings }: Organization,
  options: Options,
): Options {
  const isListed = roster.membership !== undefined && capabilitiesOf(settings).canListUsers;
  return options.refresh || !isListed ? options : { ...options, refresh: true, refreshTokens: 0 };
}

export async function previewWithMoves(
  { organization, moves }: Placement,
  options: PreviewOptions,
): Promise<Preview> {
  return { ...(await previewOf(organization, options)), moving: keysOf(moves) };
}

export function keysOf(moves: readonly Move[]): string[] {
  return [...new Set(moves.map(({ key }) => key))];
}
