/** One operation on all stacks of an organization, several at once. A failure does not stop the others. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { isHiding } from "../../provider/service/members.ts";
import { CodedError, codeOf } from "../../provider/util/error-codes.ts";
import { limiter, mapConcurrently } from "../../provider/util/lists.ts";
import { folded, messageOf } from "../../provider/util/text.ts";
import {
  type Diagnostic,
  outcomeWithout,
  type Program,
  type Progress,
  type StackOutcome,
  type StackRun,
} from "../engine/engine.ts";
import { isChange, nameOf, textIn } from "../plan/steps/steps.ts";
import { type Absent, contradictedIn, inDirectory, type StoppedRow, usersFor } from "../roster/directory.ts";
import { factsOf, readFacts } from "../roster/facts.ts";
import { withLater } from "../roster/offboarded.ts";
import { MARKER_TYPE, type RosterFacts, withCurrentUsers, withoutOffboarded } from "../roster/roster.ts";
import { type AssessedStack, type Assessment, assess, presentTargets } from "./assess.ts";
import { handedTo } from "./configuration.ts";
import type { Organization } from "./organization.ts";
import { ignoredMarks, rotationMarksOf, withMarksInForce } from "./rotation.ts";
import { rosterAt } from "./shards.ts";
import { entriesOf, membersIn, resourcesOf, type State, type StateMember, statesOf } from "./stack-state.ts";
import { dueCreationsIn, type OpenCreation } from "./undecided.ts";

/** `environment` overrides the variables of all stacks. */
export type PerStack = Pick<StackRun, "targets" | "continueOnError" | "environment"> & {
  /** The keys of the people whom the program registers. Default: all of the stack. */
  readonly people?: ReadonlySet<string> | undefined;
};

/** A part of a stack that a run is about. */
export type StackPart = Pick<Assessment, "affected" | "targets">;

export interface PreviewOutcome extends StackOutcome {
  /** The people whom a run can change; undefined for a preview of the whole stack. */
  readonly part?: StackPart | undefined;
  /** The people whom a directory does not have. Default: none. */
  readonly absent?: Absent | undefined;
  /** The people whom the run leaves as they are, although the command has changes for all. Default: none. */
  readonly stopped?: readonly StoppedRow[] | undefined;
  /** The creations of machine users about which a decision is due. Default: none. */
  readonly open?: readonly OpenCreation[] | undefined;
}

export interface AllStacks extends Pick<StackRun, "operation" | "environment" | "refresh"> {
  /** What differs from stack to stack; undefined leaves the stack out. Default: nothing differs. */
  readonly each?: (stack: string) => PerStack | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  /** Gets each stack after its run. */
  readonly onEnd?: ((stack: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** In the order of the stacks. */
export async function runAll(organization: Organization, options: AllStacks): Promise<PreviewOutcome[]> {
  const { each = () => ({}), onEnd, listener, signal } = options;
  const reads = readsInRefresh(organization);
  const wanted = organization.stacks.flatMap((stack) => {
    const own = each(stack);
    return own === undefined ? [] : [{ stack, own }];
  });
  const { concurrency, engine } = organization;
  const slot = limiter(concurrency);
  const start: Start = (run) =>
    slot(async () => {
      requireRunning(signal);
      return await engine.run(run, listener, signal);
    });
  // While one state is compared in this process, Pulumi exports the next ones on the other cores.
  const atOnce = options.operation === "preview" ? 2 * concurrency : concurrency;
  return mapConcurrently(wanted, atOnce, async ({ stack, own }) => {
    try {
      requireRunning(signal);
      if (options.operation === "refresh" && !reads) return outcomeWithout(stack);
      const prepared = await prepare(organization, stack, own, options);
      requireRunning(signal);
      const { open, absent, stopped } = prepared;
      if (prepared.run.targets?.length === 0) return { ...outcomeWithout(stack), absent, stopped };
      return { ...(await runPrepared(prepared, start)), open, absent, stopped };
    } catch (error) {
      return outcomeWithout(stack, {
        code: codeOf(error) ?? "pulumi-failed",
        text: messageOf(error),
      });
    } finally {
      onEnd?.(stack);
    }
  });
}

/** @throws if the command was interrupted */
function requireRunning(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CodedError("cancelled", "cancelled before it started");
}

/** Runs Pulumi as soon as fewer stacks than allowed run. */
type Start = (run: StackRun) => Promise<StackOutcome>;

interface Prepared {
  readonly run: StackRun;
  /** Of a preview; undefined if Pulumi previews the whole stack. */
  readonly assessment: Assessment | undefined;
  readonly open: readonly OpenCreation[];
  readonly absent: Absent;
  readonly stopped: readonly StoppedRow[];
  readonly warnings: readonly string[];
}

async function prepare(
  organization: Organization,
  stack: string,
  { people, ...own }: PerStack,
  { operation, environment: more, refresh = false }: AllStacks,
): Promise<Prepared> {
  const { program, state, ...said } = await programOfStack(organization, stack);
  const environment = { ...environmentOf(organization, stack), ...more, ...own.environment };
  const isNew = organization.newStacks.includes(stack);
  const wanted = own.targets && state ? presentTargets(own.targets, state, program) : own.targets;
  // A stack without people is made for the first of them.
  const isEmpty = isNew && program.roster.people.length === 0;
  const targets = isEmpty ? [] : wanted;
  const declared = withPeople(program, people);
  const isRead = refresh && readsInRefresh(organization);
  const run = { ...own, operation, stack, isNew, program: declared, refresh: isRead, targets, environment };
  // Without the members, only the runs know what a refresh reads.
  const members = isRead ? organization.members : undefined;
  const isUnknown =
    (isRead && members === undefined) || organization.engine.hasHiddenSettings?.(stack) === true;
  const isAssessed =
    operation === "preview" && !isUnknown && !organization.isFull && own.targets === undefined;
  const assessment =
    isAssessed && state !== undefined
      ? await assessmentOf(organization, { stack, state, program, environment, members })
      : undefined;
  return { run, assessment, ...said };
}

/** Users, seats, and tokens are read from lists alone; a module can create other resources. */
function readsInRefresh(organization: Organization): boolean {
  return organization.roster.deliver !== undefined || capabilitiesOf(organization.settings).canListUsers;
}

function environmentOf(organization: Organization, stack: string): Record<string, string> {
  const { planTime, configuration, environment } = organization;
  return {
    ...handedTo(stack, configuration, environment),
    ...(planTime !== undefined && { ORGSEAT_PLAN_TIME: planTime }),
  };
}

/** @param own `environment`: that of the run, besides the variables of the organization */
function assessmentOf(
  { engine, now, configuration, environment }: Organization,
  own: Omit<AssessedStack, "project" | "config" | "now">,
): Promise<Assessment | undefined> {
  return assess({
    ...own,
    ...{ project: engine.target?.project, now },
    config: configuration.byStack.get(own.stack) ?? new Map(),
    environment: { ...environment, ...own.environment },
  });
}

/**
 * The ids of the users whom a run can change, as far as the states show it: without those of stacks that Pulumi has to
 * preview whole.
 */
export async function affectedUsers(
  organization: Organization,
  states: ReadonlyMap<string, State>,
): Promise<Set<string>> {
  const found: string[] = [];
  for (const stack of organization.stacks) {
    const { program, state } = await programOfStack(organization, stack, states);
    if (state === undefined) continue;
    const environment = environmentOf(organization, stack);
    const assessment = await assessmentOf(organization, { stack, state, program, environment });
    const affected = resourcesOf(stack, state).filter(({ member }) => assessment?.affected.has(member));
    found.push(...affected.map(({ id }) => id));
  }
  return new Set(found);
}

/** A preview runs Pulumi for the affected people alone, and not at all if there are none. */
async function runPrepared({ run, assessment, warnings }: Prepared, start: Start): Promise<PreviewOutcome> {
  const { stack, operation } = run;
  // The preview of an `up` shows them.
  const messages = operation === "preview" ? warnings.map((text) => warning(stack, text)) : [];
  if (assessment === undefined) {
    const outcome = await start(run);
    return { ...outcome, diagnostics: [...messages, ...outcome.diagnostics] };
  }
  const { affected, targets, steps, diagnostics, marker } = assessment;
  const part = { affected, targets };
  const said = [...messages, ...diagnostics];
  if (targets.length === 0)
    return { ...outcomeWithout(stack), steps, diagnostics: said, markers: [marker], part };
  const program = withPeople(run.program, affected);
  const outcome = await start({ ...run, program, targets });
  // Pulumi may also report what the run leaves alone.
  const own = outcome.steps.filter((step) => isChange(step) || affected.has(step.member));
  return { ...outcome, steps: [...steps, ...own], diagnostics: [...said, ...outcome.diagnostics], part };
}

/** @param people the keys of those whom the program keeps; undefined: all */
function withPeople(program: Program, people: ReadonlySet<string> | undefined): Program {
  if (people === undefined) return program;
  const { roster } = program;
  return { ...program, roster: { ...roster, people: roster.people.filter(({ key }) => people.has(key)) } };
}

/**
 * Without people who were offboarded since the organization was opened, whom the run must not bring back, and with the
 * rotations in the state, which it must not repeat. Of a directory's people, it has those whom the service has.
 * @param known the states; default: it reads that of the stack
 */
async function programOfStack(
  organization: Organization,
  stack: string,
  known?: ReadonlyMap<string, State>,
): Promise<{
  program: Program;
  state?: State | undefined;
  open: readonly OpenCreation[];
  absent: Absent;
  stopped: readonly StoppedRow[];
  warnings: string[];
}> {
  const { offboarded, offboardedFile, newStacks, readmitted } = organization;
  const roster = rosterAt(organization, stack);
  const [listed, read] = await Promise.all([
    withLater(offboarded, offboardedFile),
    known ?? statesOf(organization, newStacks.includes(stack) ? [] : [stack]),
  ]);
  const state = read.get(stack);
  const states = state === undefined ? [] : [state];
  const marks = rotationMarksOf(states);
  const facts = factsIn(states, organization.rosterId);
  const ignored = ignoredMarks(roster, marks);
  const excluded = listed.filter(({ userId = "" }) => !readmitted?.has(userId));
  const marked = withMarksInForce(roster, marks);
  // Here, a row without a user id is still that of the person who was offboarded.
  const present =
    roster.membership === undefined ? marked.people : withoutOffboarded(marked.people, excluded);
  const members = membersIn(read);
  const held = members.map(heldMember);
  const { people, absent, stopped } = inDirectory(
    { ...marked, people: present },
    held,
    organization.members && usersFor(held, organization.members),
    organization.members && isHiding(organization.members),
  );
  return {
    program: {
      now: organization.openedAt,
      roster: {
        ...roster,
        people: excluded.length === 0 ? people : withCurrentUsers(people, members),
        id: organization.rosterId,
      },
      offboarded: excluded,
      facts: organization.keepsFacts ? facts : factsOf(roster, facts, organization.moduleHash),
    },
    state: roster.deliver === undefined ? state : undefined,
    absent,
    stopped: [...stopped, ...contradictedIn(held, roster, organization.members?.contradicted)],
    open: state === undefined ? [] : dueCreationsIn([[stack, state]]),
    warnings: ignored === undefined ? [] : [ignored],
  };
}

function heldMember({ key, label, userId, email, user }: StateMember) {
  const emails = [email, textIn(user?.outputs, "serviceEmail")].flatMap((one) =>
    one === undefined ? [] : folded(one),
  );
  return { key, label, userId, emails };
}

/** The facts that the marker of the roster has in a state. */
export function factsIn(states: Iterable<State>, rosterId: string | undefined): RosterFacts {
  const marker = [...states]
    .flatMap(entriesOf)
    .find(({ type, urn }) => type === MARKER_TYPE && nameOf(urn) === rosterId);
  return readFacts(marker?.inputs);
}

function warning(stack: string, text: string): Diagnostic {
  return { stack, severity: "warning", urn: undefined, text };
}
