/** What `up` would do, by person, and what stops it. Nothing is written at the service. */
import { runAll } from "./all-stacks.ts";
import { olderStates } from "./audit-log.ts";
import { type CreationDecision, type EarlierCreation, earlierCreations } from "./creations.ts";
import type { Diagnostic, Progress, StackOutcome } from "./engine/engine.ts";
import type { Organization } from "./organization.ts";
import { type Drift, driftOf } from "./plan/counts.ts";
import {
  allowFigures,
  type GuardContext,
  protectedPeople,
  type Violation,
  violationsOf,
} from "./plan/guards.ts";
import { groupByMember } from "./plan/members.ts";
import { readOverride } from "./plan/override.ts";
import { isNotOurs, rosterIdFor, rosterNoteFor, type StackOwner } from "./plan/ownership.ts";
import { type Plan, planOf } from "./plan/plan.ts";
import { isChange, type Step } from "./plan/steps.ts";
import { misplacedMembers, ShardMismatch, staleMembers } from "./reshard.ts";
import { requireKnown } from "./resolve-members.ts";
import { labelOf, withoutLeavers } from "./roster/roster.ts";
import { isCounted, type Move, type Placement, placePeople, rosterAt } from "./shards.ts";

export interface PreviewOptions {
  /** What was decided about managed users whose creation an earlier run did not finish. */
  readonly decisions?: readonly CreationDecision[] | undefined;
  /** An override of the removal limit, as a refused run printed it. */
  readonly allowRemovals?: string | undefined;
  /** Whether what can be read at the service is read first. Default: false. */
  readonly refresh?: boolean | undefined;
  /** Whether a roster that was applied before may be applied to stacks that know nothing of it. Default: false. */
  readonly newStack?: boolean | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  /** Is called after the preview of each stack. */
  readonly onPreviewed?: ((stack: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StackFailure {
  readonly stack: string;
  readonly text: string;
  /** Whoever of the roster was left alone because of it, by email or purpose, and has no verdict. */
  readonly people: readonly string[];
}

export interface Preview {
  readonly plan: Plan;
  /** Why it is not applied; empty where nothing stops it. */
  readonly violations: readonly Violation[];
  /** Stacks that could not be previewed: `up` leaves them alone. */
  readonly failures: readonly StackFailure[];
  readonly drift: Drift;
  readonly diagnostics: readonly Diagnostic[];
  /** The URNs that the command may touch; undefined: all. */
  readonly targets: ReadonlySet<string> | undefined;
  /** Who stands in the roster, and is left out because of the leaver list: emails, else keys. */
  readonly leftOut: readonly string[];
  /** How many people change beside the command's part: they wait for an `up`. */
  readonly otherChanges: number;
  /** Whose state `up` moves to another stack first, by keys. Nobody notices it. */
  readonly moving: readonly string[];
  /** Managed users of the plan whom an earlier run may have created. */
  readonly creations: readonly EarlierCreation[];
  /** Under which id `up` applies the roster; undefined where it applies none, or does not know it yet. */
  readonly rosterId: string | undefined;
  /** Who owns the stacks, as their states say. */
  readonly owners: readonly StackOwner[];
  /** What `up` writes into the roster, in words; undefined where it writes nothing. */
  readonly rosterNote: string | undefined;
}

/** Guards that do not fit a command are turned off by it. */
export type GuardChoice = Partial<Pick<GuardContext, "namedOneByOne">> & {
  /** Whether the stacks have to be the roster's. Default: true. */
  readonly ownership?: boolean;
  /** Whether what the roster lists decides who stays. Default: true. */
  readonly roster?: boolean;
  /** The steps that the command is about. Default: all. */
  readonly part?: ((step: Step, now: number) => boolean) | undefined;
};

/** @throws MisplacedPeople; where `allowRemovals` is no override */
export async function previewOf(
  organization: Organization,
  options: PreviewOptions,
  choice: GuardChoice = {},
): Promise<Preview> {
  const { allowRemovals, decisions, refresh, listener, onPreviewed, signal } = options;
  if (allowRemovals !== undefined) readOverride(allowRemovals);
  refuse(organization, await staleMembers(organization));
  const told = await runAll(organization, {
    ...{ operation: "preview", refresh, listener, signal },
    onEnd: onPreviewed,
  });
  const outcomes = told.map(({ steps, ...outcome }) => ({
    ...outcome,
    steps: steps.filter(({ stack, member }) => isCounted(organization, stack, member)),
  }));
  const steps = outcomes.flatMap((outcome) => outcome.steps);
  const preview = evaluate(organization, outcomes, options, choice);
  // People of somebody else's stack lie in no wrong one.
  if (!preview.violations.some(({ guard }) => isNotOurs(guard))) {
    refuse(organization, misplacedMembers(organization, steps));
  }
  const { plan, failures } = preview;
  const isWhole = plan.isComplete && failures.length === 0;
  return {
    ...preview,
    diagnostics: [...(await olderStates(organization)), ...preview.diagnostics],
    creations: await earlierCreations(organization, plan.steps, { decisions, isWhole }),
  };
}

function refuse({ roster }: Organization, moves: readonly Move[]): void {
  if (moves.length > 0) throw new ShardMismatch(moves, roster.stacks);
}

function evaluate(
  organization: Organization,
  outcomes: readonly StackOutcome[],
  { allowRemovals, refresh = false, newStack = false }: PreviewOptions,
  choice: GuardChoice,
): Omit<Preview, "creations"> {
  const { roster, settings } = organization;
  const now = organization.now();
  const { part } = choice;
  const isMeant = (step: Step): boolean => isChange(step) && (part === undefined || part(step, now));
  const declaredSeats = roster.seats ?? settings.seats;
  const planWith = (steps: readonly Step[]): Plan =>
    planOf(
      part === undefined ? steps : steps.flatMap((step) => (isMeant(step) ? step : unchangedStep(step))),
      {
        ...{ organizationId: roster.organizationId, declaredSeats, now },
      },
    );
  const owners = outcomes.map(({ stack, markers, otherTypes, failure }) => {
    return { stack, markers, otherTypes, isComplete: failure === undefined };
  });
  const rosterId = rosterIdFor(roster.id, organization.rosterId, owners);
  const limits: GuardContext = {
    roster: choice.roster === false ? undefined : roster,
    ownership:
      organization.rosterId === undefined || choice.ownership === false
        ? undefined
        : {
            ...{
              file: roster.file,
              headerId: roster.id,
              listed: organization.listed,
              stacks: owners,
              newStack,
            },
            isElsewhere: organization.staleStacks.length > 0,
            namedOneByOne: choice.namedOneByOne ?? false,
          },
    configuredOrganization: settings.organizationId,
    clientId: settings.account?.clientId,
    protected: protectedNames(
      organization,
      outcomes.flatMap((outcome) => outcome.steps),
    ),
    override: allowRemovals,
    namedOneByOne: choice.namedOneByOne ?? false,
    now,
  };
  // Pulumi's own preview ends where something protected would go; then the guard says so, and of the rest what was seen.
  const isExplained = ({ steps }: StackOutcome): boolean =>
    protectedPeople(planWith(steps), limits).length > 0;
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const faulty = failed.filter((outcome) => !isExplained(outcome));
  const all = outcomes.filter((outcome) => !faulty.includes(outcome)).flatMap(({ steps }) => steps);
  const whole = planWith(all);
  const stops = violationsOf(whole, limits);
  // What a stack holds that could not be previewed, nobody has counted.
  const plan = faulty.length === 0 ? whole : { ...whole, seats: { ...whole.seats, ...uncounted } };
  const isCancelled = failed.some(({ failure }) => failure?.code === "cancelled");
  const isCut = isCancelled || faulty.length === outcomes.length || faulty.length < failed.length;
  return {
    plan: { ...plan, isComplete: !isCut && allowFigures(stops) },
    violations: stops,
    failures: faulty.map(({ stack, failure }) => ({
      ...{ stack, text: failure?.text ?? "" },
      people: listedIn(organization, stack),
    })),
    drift: driftOf(all, refresh),
    diagnostics: outcomes.flatMap(({ diagnostics }) => diagnostics),
    targets: part === undefined ? undefined : new Set(all.filter(isMeant).map(({ urn }) => urn)),
    leftOut: leaversInRoster(organization),
    moving: [],
    rosterId,
    rosterNote: rosterNoteFor(roster, rosterId, owners),
    owners,
    otherChanges: groupByMember(
      all.filter((step) => !isMeant(step)),
      now,
    ).members.filter(({ actions }) => actions.some((deed) => deed !== "note")).length,
  };
}

/** Seats bought, where their use is not known. */
const uncounted = { purchased: undefined, source: "unknown" } as const;

function leaversInRoster({ roster, leavers }: Organization): string[] {
  const staying = new Set(withoutLeavers(roster.people, leavers));
  return roster.people.filter((person) => !staying.has(person)).map(({ email, key }) => email ?? key);
}

function listedIn(organization: Organization, stack: string): string[] {
  if (organization.program !== undefined) return [];
  const listed = withoutLeavers(rosterAt(organization, stack).people, organization.leavers);
  return listed.map(labelOf);
}

/** A step that the command does not take, as far as it is there already. */
function unchangedStep(step: Step): Step[] {
  if (step.action === "create") return [];
  const { before } = step.isProtected;
  return [{ ...step, action: "same", isProtected: { before, after: before } }];
}

/** @throws where `protect` names somebody whom nobody knows: a misspelt protection protects nobody */
function protectedNames({ roster, listed, protect }: Organization, steps: readonly Step[]): string[] {
  const rows = listed.map((person) => ({ key: person.key, label: labelOf(person) }));
  const managed = steps.map(({ member, olds }) => ({
    key: member,
    label: typeof olds?.email === "string" ? olds.email : member,
  }));
  requireKnown(
    protect,
    [...rows, ...managed],
    `${roster.file} or in the state of any stack, and cannot be protected`,
  );
  return [...protect, ...listed.filter((person) => person.protected).map(({ key }) => key)];
}

export async function previewAll(organization: Organization, options: PreviewOptions): Promise<Preview> {
  try {
    return await previewOf(organization, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return previewPlaced(await placePeople(organization), options);
  }
}

/** @param where everybody is */
export async function previewPlaced(
  { organization, moves }: Placement,
  options: PreviewOptions,
): Promise<Preview> {
  return { ...(await previewOf(organization, options)), moving: keysOf(moves) };
}

export function keysOf(moves: readonly Move[]): string[] {
  return [...new Set(moves.map(({ key }) => key))];
}
