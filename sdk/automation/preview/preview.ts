/** What `up` would change, by person, and what blocks it. Writes nothing at the service. */
import { dirname } from "node:path";
import { capabilitiesOf } from "../../../provider/config/settings.ts";
import { formatInstant } from "../../../provider/util/instants.ts";
import type { Diagnostic, Progress, StackOutcome } from "../engine/engine.ts";
import { type AccessEnd, accessEndsIn, endedAccessIn } from "../plan/access-ends.ts";
import { type PlanDocument, planDocument } from "../plan/document.ts";
import { type Drift, driftOf } from "../plan/drift.ts";
import { allowFigures, type GuardContext, protectedPeople, violationsOf } from "../plan/guards/guards.ts";
import { readOverride } from "../plan/guards/override.ts";
import { isNotOurs, rosterIdFor, rosterNoteFor, type StackOwner } from "../plan/guards/ownership.ts";
import { questionedUsers } from "../plan/guards/user-guards.ts";
import { changedPlan, type Violation, withOverrideAdvice } from "../plan/guards/violation.ts";
import { groupByMember } from "../plan/members.ts";
import type { UnfinishedCreations } from "../plan/plan.ts";
import { type Plan, type PlanOptions, planOf } from "../plan/plan.ts";
import { isChange, type Step } from "../plan/steps/steps.ts";
import { type Warning, warningsIn } from "../plan/texts/warnings.ts";
import type { Undelivered } from "../roster/deliver.ts";
import { labelOf, withoutLeavers } from "../roster/roster.ts";
import { olderStates } from "../service/audit-log.ts";
import { memberDrift } from "../service/drift.ts";
import { listedRoles, memberVariables, withServiceMembers } from "../service/service-members.ts";
import { withUnmanaged } from "../service/unmanaged.ts";
import { runAll } from "../stacks/all-stacks.ts";
import { declaredPeople, type Organization } from "../stacks/organization.ts";
import { withRunFolder } from "../stacks/run.ts";
import {
  isCounted,
  type Move,
  misplacedMembers,
  type Placement,
  placePeople,
  rosterAt,
  ShardMismatch,
  staleMembers,
} from "../stacks/shards.ts";
import { managedMembers } from "../stacks/stack-state.ts";
import { type CreationDecision, earlierCreations, type LeftCreations } from "./creations.ts";
import { type GuardChoice, type GuardOptions, guardContextOf } from "./guard-context.ts";

export interface PreviewOptions extends GuardOptions {
  /** Decisions about managed users whose creation an earlier run did not finish. */
  readonly decisions?: readonly CreationDecision[] | undefined;
  /** Whether the run first reads what the service can list. Default: false. */
  readonly refresh?: boolean | undefined;
  /** Gets the number of people whose tokens a refresh has read, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  /** Is called after the preview of each stack. */
  readonly onPreviewed?: ((stack: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The plan that must be applied, and no other: a guard refuses a preview that differs. Default: any. */
  readonly approvedPlan?: PlanDocument | undefined;
}

export interface StackFailure {
  readonly stack: string;
  readonly text: string;
  /** The people of the roster who have no result because of it, by email or purpose. */
  readonly people: readonly string[];
}

/** In one stack. */
export interface UndeliveredMember extends Undelivered {
  readonly stack: string;
}

export interface Preview extends LeftCreations {
  readonly plan: Plan;
  /** The plan with what it was made for, and its digest. */
  readonly document: PlanDocument;
  /** Why the plan is not applied; empty if nothing blocks it. */
  readonly violations: readonly Violation[];
  /** Stacks without a preview: `up` leaves them alone. */
  readonly failures: readonly StackFailure[];
  readonly drift: Drift;
  readonly diagnostics: readonly Diagnostic[];
  /** Those of the diagnostics, in the words of the roster. */
  readonly warnings: readonly Warning[];
  /** The URNs that the command may touch; undefined: all. */
  readonly targets: ReadonlySet<string> | undefined;
  /** The people of the roster whom the leaver list excludes: emails, else keys. */
  readonly leftOut: readonly string[];
  /** The members for whom the module of the roster failed: the plan leaves what it delivered as it is. */
  readonly undelivered: readonly UndeliveredMember[];
  /** The people whose access ends within 14 days, and those whom no run adds because it has ended. */
  readonly accessEnds: readonly AccessEnd[];
  /** The number of people with other changes than the command makes: they wait for an `up`. */
  readonly otherChanges: number;
  /** Keys of the people whose state `up` first moves to another stack, without a call. */
  readonly moving: readonly string[];
  /** The id under which `up` applies the roster; undefined if it applies none, or if the id is uncertain. */
  readonly rosterId: string | undefined;
  /** The owners of the stacks, as their states have them. */
  readonly owners: readonly StackOwner[];
  /** The change that `up` makes in the roster, as a sentence; undefined if it makes none. */
  readonly rosterNote: string | undefined;
}

/** @throws ShardMismatch; if `allowRemovals` is no override */
export async function previewOf(
  organization: Organization,
  options: PreviewOptions,
  choice: GuardChoice = {},
): Promise<Preview> {
  const { allowRemovals, decisions, refresh, listener, onPreviewed: onEnd, signal } = options;
  if (allowRemovals !== undefined) readOverride(allowRemovals);
  refuse(organization, await staleMembers(organization));
  const found = await withRunFolder(dirname(organization.file), (folder) => {
    const environment = memberVariables(organization.members, folder);
    return runAll(organization, { operation: "preview", refresh, environment, listener, signal, onEnd });
  });
  const counted = found.map(({ steps, ...outcome }) => ({
    ...outcome,
    steps: steps.filter(({ stack, member }) => isCounted(organization, stack, member)),
  }));
  const outcomes = await withUnmanaged(organization, counted, signal);
  const { part = () => true } = choice;
  const steps = outcomes.flatMap(stepsOf).filter((step) => part(step, organization.openedAt));
  const listedUsers = choice.listedUsers ?? (await listedRoles(organization, questionedUsers(steps), signal));
  const evaluateWith = (unfinished: UnfinishedCreations) =>
    evaluate(organization, outcomes, { ...options, listedUsers, unfinished }, choice);
  const first = evaluateWith(new Map());
  // The people of a stack that is not ours are in no wrong stack.
  if (!first.violations.some(({ guard }) => isNotOurs(guard))) {
    refuse(organization, misplacedMembers(organization, outcomes.flatMap(stepsOf)));
  }
  const isWhole = first.plan.isComplete && first.failures.length === 0;
  const failed = first.failures.map(({ stack }) => stack);
  const left = await earlierCreations(organization, first.plan.steps, { decisions, isWhole, failed });
  const unfinished = new Map(left.creations.map(({ urn, next }) => [urn, next]));
  const evaluated = unfinished.size === 0 ? first : evaluateWith(unfinished);
  const document = documentOf(organization, evaluated, options);
  const diagnostics = [...(await olderStates(organization)), ...evaluated.diagnostics];
  return {
    ...evaluated,
    document,
    violations: withOverrideAdvice([...evaluated.violations, ...changedPlan(options.approvedPlan, document)]),
    drift: await driftIn(organization, outcomes.flatMap(stepsOf), refresh),
    diagnostics,
    warnings: warningsIn(diagnostics, evaluated.plan.members, organization.program === undefined),
    ...left,
  };
}

function documentOf(
  { roster, settings, stacks, engine, openedAt, savedAt }: Organization,
  { plan, violations, failures }: Pick<Preview, "plan" | "violations" | "failures">,
  { refresh = false, newStack = false, allowRemovals }: PreviewOptions,
): PlanDocument {
  const { project = "", backend = "" } = engine.target ?? {};
  const origin = {
    rosterId: roster.id ?? null,
    organizationId: roster.organizationId,
    platform: settings.dialect ?? null,
    project,
    backend,
    stacks: [...stacks],
    time: formatInstant(openedAt),
    refresh,
    newStack,
    allowRemovals: allowRemovals ?? null,
    isApplicable: plan.isComplete && violations.length === 0 && failures.length === 0,
  };
  return planDocument(origin, plan.entries, Object.fromEntries(savedAt));
}

async function driftIn(
  organization: Organization,
  steps: readonly Step[],
  refreshed = false,
): Promise<Drift> {
  const { members: read, settings } = organization;
  const { canListUsers: canListMembers } = capabilitiesOf(settings);
  const members = read && memberDrift(await managedMembers(organization), read, settings.product);
  return driftOf(steps, { refreshed, canListMembers, members });
}

function refuse({ stacks }: Organization, moves: readonly Move[]): void {
  if (moves.length > 0) throw new ShardMismatch(moves, stacks.length);
}

function stepsOf({ steps }: StackOutcome): readonly Step[] {
  return steps;
}

function evaluate(
  organization: Organization,
  outcomes: readonly StackOutcome[],
  {
    listedUsers,
    unfinished,
    ...options
  }: PreviewOptions & Pick<GuardContext, "listedUsers"> & Pick<PlanOptions, "unfinished">,
  choice: GuardChoice,
): Omit<Preview, keyof LeftCreations | "drift" | "document" | "warnings"> {
  const { roster, settings, openedAt: now } = organization;
  const { part, narrow = (step) => step } = choice;
  const planOptions = {
    organizationId: roster.organizationId,
    declaredSeats: roster.seats ?? settings.seats,
    endedAccess: endedAccessIn(roster.people, organization.openedAt),
    unfinished,
    order: organization.listed.map(({ key }) => key),
    now,
  };
  const undelivered = outcomes.flatMap(undeliveredIn);
  const isWhole = part === undefined && undelivered.length === 0;
  const isMeant = (step: Step): boolean =>
    isChange(step) && (part === undefined || part(step, now)) && !isUndelivered(step, undelivered);
  const planWith = (steps: readonly Step[]): Plan =>
    planOf(
      steps.flatMap((step) => (isWhole || isMeant(step) ? narrow(step) : unchangedStep(step))),
      planOptions,
    );
  const owners = outcomes.map(({ stack, markers, otherTypes, failure }) => {
    return { stack, markers, otherTypes, isComplete: failure === undefined };
  });
  const context = guardContextOf(
    organization,
    { steps: outcomes.flatMap(stepsOf), owners, listedUsers, now },
    options,
    choice,
  );
  // Pulumi's preview ends at a removal of something protected. Then the guard says why, and the steps so far count.
  const isExplained = ({ steps }: StackOutcome): boolean =>
    protectedPeople(planWith(steps), context).length > 0;
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const faulty = failed.filter((outcome) => !isExplained(outcome));
  const steps = outcomes.filter((outcome) => !faulty.includes(outcome)).flatMap(stepsOf);
  const whole = planWith(steps);
  const violations = violationsOf(whole, context);
  const plan = faulty.length === 0 ? whole : { ...whole, seats: { ...whole.seats, ...uncounted } };
  const isCancelled = failed.some(({ failure }) => failure?.code === "cancelled");
  const isCut = isCancelled || faulty.length === outcomes.length || faulty.length < failed.length;
  const rosterId = rosterIdFor(roster.id, organization.rosterId, owners);
  return {
    plan: { ...plan, isComplete: !isCut && allowFigures(violations) },
    violations,
    failures: faulty.map(({ stack, failure }) => ({
      ...{ stack, text: failure?.text ?? "", people: listedIn(organization, stack) },
    })),
    diagnostics: [
      ...outcomes.flatMap(({ diagnostics }) => diagnostics),
      ...undelivered.map(
        ({ stack, text }) => ({ stack, severity: "warning", urn: undefined, text }) as const,
      ),
    ],
    undelivered,
    targets: isWhole ? undefined : new Set(steps.filter(isMeant).map(({ urn }) => urn)),
    leftOut: leaversInRoster(organization),
    accessEnds: accessEndsOf(
      organization,
      outcomes.filter((outcome) => !faulty.includes(outcome)),
    ),
    moving: [],
    rosterId,
    rosterNote: rosterNoteFor(roster, rosterId, owners),
    owners,
    otherChanges: changedMembers(
      steps.filter((step) => !isMeant(step) && step.type !== "Delivered"),
      now,
    ),
  };
}

function changedMembers(steps: readonly Step[], now: number): number {
  const { members } = groupByMember(steps, now);
  return members.filter(({ actions }) => actions.some((action) => action !== "note")).length;
}

export function undeliveredIn({ stack, undelivered }: StackOutcome): UndeliveredMember[] {
  return undelivered.map((one) => ({ stack, ...one }));
}

/** Whether the program did not register the resource because the module failed. */
function isUndelivered({ type, stack, member }: Step, undelivered: readonly UndeliveredMember[]): boolean {
  return type === "Delivered" && undelivered.some((one) => one.stack === stack && one.member === member);
}

/** The seats of a stack without a preview are not counted. */
const uncounted = { purchased: undefined, source: "unknown" } as const;

function leaversInRoster({ roster, leavers }: Organization): string[] {
  const staying = new Set(withoutLeavers(roster.people, leavers));
  return roster.people.filter((person) => !staying.has(person)).map(({ email, key }) => email ?? key);
}

/** Of the stacks that have a preview. A custom program decides itself. */
function accessEndsOf(organization: Organization, outcomes: readonly StackOutcome[]): AccessEnd[] {
  const { leavers, openedAt, program } = organization;
  if (program !== undefined) return [];
  return outcomes.flatMap(({ stack, steps }) => {
    const present = new Set(steps.flatMap(({ action, member }) => (action === "create" ? [] : [member])));
    const people = withoutLeavers(rosterAt(organization, stack).people, leavers);
    const counted = people.filter(({ key }) => isCounted(organization, stack, key));
    return accessEndsIn(counted, (key) => present.has(key), openedAt);
  });
}

function listedIn(organization: Organization, stack: string): string[] {
  if (organization.program !== undefined) return [];
  return declaredPeople(organization, rosterAt(organization, stack)).map(labelOf);
}

/** A step that the command does not make: what exists stays as it is. */
function unchangedStep(step: Step): Step[] {
  if (step.action === "create") return [];
  const { before } = step.isProtected;
  return [{ ...step, action: "same", isProtected: { before, after: before } }];
}

export async function previewAll(organization: Organization, options: PreviewOptions): Promise<Preview> {
  const opened = options.refresh ? await withServiceMembers(organization, options) : organization;
  try {
    return await previewOf(opened, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return previewWithMoves(await placePeople(opened), options);
  }
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
