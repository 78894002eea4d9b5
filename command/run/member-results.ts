/** The result of each member of a plan: succeeded, already gone, failed with the reason, or skipped. Pure. */

import { type StepLine, unitKey } from "../../provider/member/approved.ts";
import type { Obstacle } from "../../provider/member/step.ts";
import type { ReportEntry } from "../../provider/runtime/run-report.ts";
import type { ErrorCode } from "../../provider/util/error-codes.ts";
import { type Action, operationNames, serviceOperation } from "../members/action-table.ts";
import type { PlanEntry } from "../members/entries.ts";
import type { MemberPlan } from "../members/plan.ts";
import type { StoppedRow } from "../members/stopped.ts";
import { removesAccess } from "../plan/actions.ts";
import { type PlannedMember, textOf, withNames } from "../plan/members.ts";
import type { Plan, SettingChange } from "../plan/plan.ts";

export interface MemberResult {
  /** The email or the purpose; the type and name of another resource. */
  readonly who: string;
  readonly key: string;
  readonly stack: string;
  /**
   * `already-gone`: there was nothing to remove. `skipped`: the run did not try, or sent nothing for a reason that another
   * result has.
   */
  readonly status: "succeeded" | "already-gone" | "failed" | "skipped";
  readonly actions: readonly Action[];
  /** The entries of the plan with their results. */
  readonly entries: readonly ResultEntry[];
  /** Of the actions, those that found nothing to remove. */
  readonly alreadyGone: readonly Action[];
  /** How long the person had no valid token, in milliseconds, because the old one had to end first; undefined if not. */
  readonly withoutTokenMs: number | undefined;
  /** The row of the roster, such as `people.csv, line 7`; undefined without one. */
  readonly place: string | undefined;
  /** Why it failed, or what to check. */
  readonly text: string | undefined;
  /** The code of the error, stable across releases; undefined if it has none. */
  readonly code: ErrorCode | undefined;
}

export interface ResultEntry extends Pick<PlanEntry, "type" | "operation" | "id"> {
  readonly result: EntryResult;
}

/** Whether nothing is left to do. */
export function isSettled({ status }: Pick<MemberResult, "status">): boolean {
  return status === "succeeded" || status === "already-gone";
}

/** What a run did with one step of the plan. */
export type EntryResult = "done" | "failed" | "unknown" | "not sent";
/** The same; `gone`: a removal found nothing. */
type StepResult = EntryResult | "gone";

/** What the reports of all passes say about a plan. */
export interface PlanAnswers {
  /** In their order, with the places of the approved plan. */
  readonly lines: readonly StepLine[];
  /** By `ref`, the last method of each member. */
  readonly methods: ReadonlyMap<string, ReportEntry>;
  /** The `ref`s of the members that a run was about. */
  readonly tried: ReadonlySet<string>;
  /** By `ref`, why this command sends nothing of a member, or what Pulumi says of one of whom no method was called. */
  readonly refused: ReadonlyMap<string, Refusal>;
  /** By `ref`, the calls that a member still needs of whom not all was sent. */
  readonly needed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether all runs ended: of a member without a method there was then nothing to do. */
  readonly isComplete: boolean;
}

export interface Refusal {
  readonly text: string;
  readonly code?: ErrorCode | undefined;
}

/** The results of all changes of a plan, failed ones first, then in the order of the plan. */
export function memberResults(
  { members, settings }: Pick<Plan, "members" | "settings">,
  answers: PlanAnswers,
  isMarked: boolean,
): MemberResult[] {
  const rank = { failed: 0, skipped: 1, "already-gone": 2, succeeded: 3 };
  const marked = settings.map((one) => settingResult(one, isMarked));
  return [
    ...members.filter(({ actions }) => actions.length > 0).map((one) => resultOf(one, members, answers)),
    ...marked,
  ].toSorted((a, b) => rank[a.status] - rank[b.status]);
}

function settingResult({ name, actions, entries }: SettingChange, isMarked: boolean): MemberResult {
  const result = isMarked ? ("done" as const) : ("not sent" as const);
  return {
    ...{ who: `Roster ${name}`, key: name, stack: entries[0]?.stack ?? "", actions, alreadyGone: [] },
    status: isMarked ? "succeeded" : "skipped",
    entries: entries.map(({ type, operation, id }) => ({ type, operation, id, result })),
    ...{ withoutTokenMs: undefined, place: undefined, text: undefined, code: undefined },
  };
}

function resultOf(
  member: PlannedMember,
  members: readonly PlannedMember[],
  answers: PlanAnswers,
): MemberResult {
  const { label: who, key, stack, actions, steps, entries: planned } = member;
  const lines = answers.lines.filter((line) => line.ref === steps.ref);
  const each = planned.map((entry) => ({ entry, result: entryResult(entry, lines) }));
  const end = endOf(member, each, lines, answers);
  const alreadyGone = actions.filter((action) => {
    const removals = each.filter(({ entry }) => entry.action === action && isRemoval(entry));
    const hadNothing = (result: StepResult): boolean =>
      // It is sent only if the service has a token that is in the way.
      result === "gone" || (action === "replaceToken" && end.isDone && result === "not sent");
    return removals.length > 0 && removals.every(({ result }) => hadNothing(result));
  });
  const status = statusOf({ ...end, alreadyGone, actions });
  return {
    ...{ who, key, stack, status, actions, alreadyGone },
    entries: each.map(({ entry: { type, operation, id }, result }) => {
      return { type, operation, id, result: result === "gone" ? "done" : result };
    }),
    ...explanationOf(status, alreadyGone, end, member, members),
    withoutTokenMs: gapIn(lines, steps),
    place: steps.row?.place,
  };
}

/** How a run has ended for a member. */
interface End extends Omit<Judged, "alreadyGone" | "actions"> {
  readonly failure: Refusal | undefined;
  /** The same, as the provider reported it. */
  readonly reported: ReportEntry["failure"];
  /** What the plan does not do. */
  readonly obstacle: Obstacle | undefined;
}

function endOf(
  { steps }: PlannedMember,
  each: readonly { readonly entry: PlanEntry; readonly result: StepResult }[],
  lines: readonly StepLine[],
  { methods, tried, refused, needed, isComplete }: PlanAnswers,
): End {
  const { ref, plan } = steps;
  const method = methods.get(ref);
  const isIdle = method === undefined && tried.has(ref) && isComplete && !refused.has(ref);
  const isDone = isIdle || (method !== undefined && method.result !== "failed");
  const isChanged =
    isDone &&
    each.some(({ entry, result }) => result === "not sent" && needed.get(ref)?.has(entry.operation));
  const reported = method?.failure;
  const failure = reported ?? refused.get(ref) ?? (isChanged ? CHANGED_SINCE : undefined);
  // A notice says who is still to join a directory.
  const obstacle = [...plan.refused, ...plan.waits].find(({ reason }) => reason !== "notInDirectory");
  // The cause of what stopped the run is the result of someone else.
  const isLeftOut = reported?.code === "blocked" && lines.length === 0;
  return {
    ...{ failure, reported, obstacle, isDone },
    isTried: tried.has(ref) && !isLeftOut,
    // A step that waits for a decision did not fail; a step that the plan refuses did.
    isFailed: (failure !== undefined && !isLeftOut) || plan.refused.length > 0,
    isStopped: obstacle !== undefined,
  };
}

/** Why it failed, or what to check. */
function explanationOf(
  status: MemberResult["status"],
  alreadyGone: readonly Action[],
  { failure, reported, obstacle }: End,
  { userId, steps }: PlannedMember,
  members: readonly PlannedMember[],
): Pick<MemberResult, "text" | "code"> {
  if (isSettled({ status }))
    return {
      text: status === "succeeded" ? undefined : describeUnknownUser(userId, alreadyGone),
      code: undefined,
    };
  const code = reported?.advice ?? failure?.code ?? obstacle?.code;
  if (failure === undefined) return { text: obstacle && textOf(obstacle, steps), code };
  return { text: withNames(failure.text, members), code };
}

const CHANGED_SINCE: Refusal = {
  text: "another run has changed this person since the plan was made, so the rest was not sent. Run `orgseat up` again",
  code: "not-approved",
};

function isRemoval({ operation }: Pick<PlanEntry, "operation">): boolean {
  return (serviceOperation(operation)?.cost ?? "none") !== "none";
}

function onlyRemoves(action: Action): boolean {
  return removesAccess(action) && operationNames(action).every((operation) => isRemoval({ operation }));
}

interface Judged {
  readonly isTried: boolean;
  readonly isDone: boolean;
  readonly isFailed: boolean;
  /** Whether the plan has something that is not done. */
  readonly isStopped: boolean;
  readonly alreadyGone: readonly Action[];
  readonly actions: readonly Action[];
}

function statusOf({
  isTried,
  isDone,
  isFailed,
  isStopped,
  alreadyGone,
  actions,
}: Judged): MemberResult["status"] {
  if (!isTried && !isStopped) return isFailed ? "failed" : "skipped";
  if (isFailed || isStopped || !isDone) return isTried || isFailed ? "failed" : "skipped";
  const changes = withoutNote(actions);
  const isGone = changes.every((action) => alreadyGone.includes(action) && onlyRemoves(action));
  return changes.length > 0 && isGone ? "already-gone" : "succeeded";
}

/** What only the state notes is worth a word if nothing else happens. */
export function withoutNote(actions: readonly Action[]): readonly Action[] {
  const others = actions.filter((action) => action !== "note");
  return others.length === 0 ? actions : others;
}

/** The last answer counts, unless an earlier one says that it is done. */
function entryResult({ unit, index }: PlanEntry, lines: readonly StepLine[]): StepResult {
  if (unit === "") return "not sent";
  const mine = lines.filter((line) => line.unit === unit && line.index === index);
  const outcomes = mine.flatMap(({ outcome }) => outcome ?? []);
  if (outcomes.includes("ok")) return "done";
  if (outcomes.some((outcome) => outcome === "gone" || outcome === "unproven")) return "gone";
  const last = mine.at(-1);
  if (last === undefined) return "not sent";
  if (last.phase === "sent" || last.outcome === "lost" || last.outcome === "late") return "unknown";
  return "failed";
}

/** How long the person had no valid token because the old one had to end first. */
function gapIn(lines: readonly StepLine[], { plan }: MemberPlan): number | undefined {
  const calls = new Map(
    plan.units.flatMap((unit) =>
      unit.steps.map(({ call }, index) => [`${unitKey(unit)} ${index}`, call] as const),
    ),
  );
  const done = lines.filter(({ outcome }) => outcome === "ok");
  const isOf = (wanted: string) => (line: StepLine) => calls.get(`${line.unit} ${line.index}`) === wanted;
  const revoked = done.findIndex(isOf("revoke token"));
  const issued = done.findLastIndex(isOf("issue token"));
  const [first, last] = [done[revoked], done[issued]];
  return first === undefined || last === undefined || issued < revoked ? undefined : last.at - first.at;
}

/** Of a person whom the run leaves as the state has the person. */
export function resultOfStopped(stopped: StoppedRow, stack: string): MemberResult {
  const nothing = { actions: [], entries: [], alreadyGone: [], withoutTokenMs: undefined };
  return { ...nothing, ...stopped, stack, status: "failed" };
}

function describeUnknownUser(userId: string | undefined, gone: readonly Action[]): string | undefined {
  if (userId === undefined) return undefined;
  const what = gone.includes("leave")
    ? `user id ${userId} is unknown to the service`
    : `the service had nothing to remove for user id ${userId}`;
  return `${what}. The same email may exist under another user id. Check the service`;
}
