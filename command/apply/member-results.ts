/** The result of each member and other resource of a plan: succeeded, already gone, failed with the reason, or skipped. */

import { type Action, actions as definitions } from "../../provider/resources/actions.ts";
import { type AdviceCode, adviceCodes } from "../../provider/resources/failures.ts";
import { type ErrorCode, withCode } from "../../provider/util/error-codes.ts";
import { withoutStop } from "../../provider/util/text.ts";
import type { Diagnostic } from "../engine/engine.ts";
import type { PlanEntry } from "../plan/entries.ts";
import { withNames } from "../plan/members.ts";
import type { Plan } from "../plan/plan.ts";
import { describeDone, describeOperation, describePlanned } from "../plan/steps/actions.ts";
import type { Step } from "../plan/steps/steps.ts";
import { inRosterWords } from "../plan/texts/warnings.ts";
import { describeDecision, describeUndecided } from "../preview/creations.ts";
import type { StoppedMember, UndeliveredMember } from "../preview/notices.ts";
import type { RosterPerson } from "../roster/roster.ts";
import type { StepFailure } from "./step-reports.ts";
import type { CombinedResult, EntryResult, StepResults } from "./step-results.ts";

export interface MemberResult {
  /** The email or the purpose; the type and name of another resource. */
  readonly who: string;
  readonly key: string;
  readonly stack: string;
  /**
   * `already-gone`: there was nothing to remove. `skipped`: the run did not try, or sent nothing for a reason that another
   * result has.
   */
  readonly status: CombinedResult["status"];
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

interface RosterContext {
  readonly people: readonly RosterPerson[];
  /** Members for whom the module of the roster failed. */
  readonly undelivered: readonly UndeliveredMember[];
}

/** The results of all changes of a plan, failed ones first, then in the order of the plan. */
export function memberResults(
  { members, otherResources }: Pick<Plan, "members" | "otherResources">,
  results: StepResults,
  { people, undelivered }: RosterContext,
): MemberResult[] {
  const places = new Map(people.map(({ key, place }) => [key, place]));
  const all = [
    ...members,
    ...otherResources.map(({ step, actions, entries }) => ({
      entries,
      ...{ label: `${step.type} ${step.name}`, key: step.name, stack: step.stack, userId: undefined },
      ...{ actions, steps: [step] },
    })),
  ];
  const reasonFor = (stack: string, key: string): string | undefined =>
    undelivered.find((one) => one.stack === stack && one.member === key)?.text;
  const rank = { failed: 0, skipped: 1, "already-gone": 2, succeeded: 3 };
  return all
    .filter(({ actions, stack, key }) => actions.length > 0 || reasonFor(stack, key) !== undefined)
    .map(({ label: who, key, stack, userId, actions, entries: planned, steps }): MemberResult => {
      const { status, failure, alreadyGone } = results.resultOf(steps);
      // The row with the key is that of the successor.
      const isReplaced = steps.every((step) => step.isReplaced) || steps.some(isReplacedUser);
      const place = isReplaced ? undefined : places.get(key);
      const waiting = failure?.failure === undefined ? steps.find(({ undecided }) => undecided) : undefined;
      const text = waiting
        ? describeUndecided(waiting)
        : status === "already-gone"
          ? describeUnknownUser(userId, alreadyGone)
          : failure && withNames(describeFailure(failure, { who, key }), members);
      const code = waiting
        ? "machine-user-undecided"
        : (failure?.failure?.advice ?? failure?.failure?.code ?? failure?.code);
      const entries = planned.flatMap((entry) => resultEntry(entry, steps, results));
      const withoutTokenMs = results.withoutTokenMs(steps);
      const done = { status, actions, entries, alreadyGone, withoutTokenMs };
      const result = { who, key, stack, ...done, place, text, code };
      const reason = isSettled(result) ? reasonFor(stack, key) : undefined;
      return reason === undefined ? result : { ...result, status: "failed", text: reason };
    })
    .toSorted((a, b) => rank[a.status] - rank[b.status]);
}

/** Of a person whom the run leaves as the state has the person. */
export function resultOfStopped(stopped: StoppedMember): MemberResult {
  const nothing = { actions: [], entries: [], alreadyGone: [], withoutTokenMs: undefined };
  return { ...nothing, ...stopped, status: "failed" };
}

function resultEntry(entry: PlanEntry, steps: readonly Step[], results: StepResults): ResultEntry[] {
  const mine = steps.filter(({ urn }) => urn === entry.urn);
  // What an earlier run replaced has the URN of its successor.
  const step =
    mine.find(({ id }) => id === entry.id) ?? mine.find(({ isReplaced }) => !isReplaced) ?? mine[0];
  if (step === undefined) return [];
  const { type, operation, id } = entry;
  return [{ type, operation, id, result: results.entryResult(entry, step) }];
}

function isReplacedUser({ type, isReplaced }: Step): boolean {
  return type === "OrgUser" && isReplaced;
}

function describeUnknownUser(userId: string | undefined, gone: readonly Action[]): string | undefined {
  if (userId === undefined) return undefined;
  const what = gone.includes("leave")
    ? `user id ${userId} is unknown to the service`
    : `the service had nothing to remove for user id ${userId}`;
  return `${what}. The same email may exist under another user id. Check the service`;
}

const titles: Readonly<Record<MemberResult["status"], string>> = {
  succeeded: "ok",
  "already-gone": "gone",
  failed: "failed",
  skipped: "skipped",
};
const TITLE_WIDTH = 7;
/** The columns in front of the names. */
export const RESULT_INDENT = " ".repeat(TITLE_WIDTH + 2);

/** `ok       ada@acme.example  added, seat assigned`; what to check is on a second line. @param width of the names */
export function describeResult(result: MemberResult, width = 0): string {
  const { status, text } = result;
  const title = `${titles[status].padEnd(TITLE_WIDTH)}  ${nameOfResult(result).padEnd(width)}  `;
  if (!isSettled(result)) return title + describeUnfinished(result);
  const note = text === undefined ? "" : `\n${RESULT_INDENT}${text}`;
  return title + describeSettled(result) + note;
}

/** What another run or a person did since the preview is not what this run did. */
function describeSettled({ actions, alreadyGone, entries, withoutTokenMs }: MemberResult): string {
  const gap =
    withoutTokenMs === undefined ? "" : ` (no valid token for ${(withoutTokenMs / 1000).toFixed(1)} s)`;
  const unsent = operationsWith(entries, "not sent");
  if (actions.every((action) => alreadyGone.includes(action)) || unsent.length === 0)
    return describeDone(actions, alreadyGone) + gap;
  const done = operationsWith(entries, "done").map(describeOperation);
  return [...(done.length === 0 ? [] : [done.join(", ")]), `already done: ${unsent.join(", ")}`].join("; ");
}

/** What was done, what was not, and why. */
function describeUnfinished({ status, actions, entries, text }: MemberResult): string {
  const reason = text === undefined ? [] : [text];
  if (status === "skipped" || entries.length === 0)
    return [describePlanned(actions), ...reason].filter((part) => part !== "").join("; ");
  const others = (["failed", "unknown", "not sent"] as const).flatMap((result) => {
    const unnamed = operationsWith(entries, result).filter(
      (operation) => text === undefined || !(REFUSALS.has(operation) || text.includes(operation)),
    );
    return unnamed.length === 0 ? [] : `${result}: ${unnamed.join(", ")}`;
  });
  const done = operationsWith(entries, "done").map(describeOperation).join(", ");
  return [...(done === "" ? [] : [done]), ...others, ...reason].join("; ");
}

/** The text says what the provider refused, and why. */
const REFUSALS: ReadonlySet<string> = new Set(
  [definitions.refuseToken, definitions.refuseExpiry, definitions.undecided].flatMap(
    ({ inState }) => inState ?? [],
  ),
);

function operationsWith(entries: readonly ResultEntry[], result: EntryResult): string[] {
  return entries.filter((entry) => entry.result === result).map(({ operation }) => operation);
}

/** The name in a list of results, with the row of the roster unless all is done. */
export function nameOfResult({ who, status, place }: MemberResult): string {
  return status === "succeeded" || place === undefined ? who : `${who} (${place})`;
}

export function errorsWithoutResource(messages: readonly Diagnostic[]): string[] {
  return messages
    .filter(({ severity, urn }) => severity === "error" && urn === undefined)
    .map(({ text, code }) => withCode(text, code));
}

type Subject = Pick<MemberResult, "who" | "key"> & { readonly userId: string | undefined };

const AGAIN = "run `orgseat up` again";

const remedies: Readonly<Record<AdviceCode, (whom: Subject) => string>> = {
  "user-exists": ({ who }) =>
    `${who} is already a member of the organization. Write the user id into \`user_id\` of the row and ${AGAIN}, or run \`orgseat adopt\`.`,
  "user-unknown": ({ who }) =>
    `The service may have added ${who}; orgseat does not send the request again. Check in the service: if ${who} is a member, write the user id into \`user_id\` of the row. Then ${AGAIN}.`,
  "machine-user-unknown": ({ who, key }) =>
    `The service may have a machine user ${who} that is not in any state. ${describeDecision(key)}`,
  "machine-user-undecided": ({ key }) => describeDecision(key),
  "user-gone": ({ who, userId }) =>
    `${named(who, userId)} is no longer in the organization. Remove the row and ${AGAIN}. To add the person again, restore the row after that run. If the service has the same email under another user id, write that id into \`user_id\`.`,
  "seat-exists": ({ who, userId }) =>
    `${who} already has a seat, and the service does not report who assigned it. To adopt the seat, write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}.`,
  "seat-unknown": ({ who }) =>
    `The service may have assigned the seat of ${who}. Run \`orgseat up\` again to confirm it; this uses no second seat.`,
  "no-seats": ({ who }) =>
    `No seats available for ${who}, or the subscription has expired. Free or buy a seat, then ${AGAIN}.`,
  "token-exists": ({ who, userId }) =>
    `${named(who, userId)} already has a token, whose value cannot be read. Write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}, which revokes that token and issues a new one.`,
  "token-unknown": ({ who, userId }) =>
    `The service may have issued a token for ${who}, but its value is lost. Write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}, which revokes that token, if there is one, and issues a new one.`,
  "token-undecided": ({ who, userId }) =>
    `If ${who} uses the existing token, write ${idOf(userId)} into \`user_id\` of the row and \`token: adopt\`; if not, revoke it in the service. Then ${AGAIN}.`,
  "token-gone": ({ who }) =>
    `The service no longer has a token of ${who}. To issue a new one, with a new value, run \`orgseat rotate\`.`,
  "token-left": ({ who, userId }) =>
    `${named(who, userId)} still has a valid token that this roster does not manage. To revoke it and remove the rest, run \`orgseat offboard\`.`,
  "seat-or-token-left": ({ who, userId }) =>
    `${named(who, userId)} still has a seat or a token that this roster does not manage. Remove it in the service, then ${AGAIN}.`,
  "subscription-ended": () => `Renew the organization's subscription, then ${AGAIN}.`,
};

/** The sentence about a failure, in the words of a roster. */
export function describeFailure(
  { text, failure, userId }: StepFailure,
  { who, key }: Omit<Subject, "userId">,
): string {
  const { advice, reason = text } = failure ?? {};
  const inProgram = text.replaceAll("`pulumi up`", "`orgseat up`");
  const subject = adviceCodes.find((code) => code === advice);
  if (subject === undefined) return inRosterWords(inProgram);
  return `${withoutStop(reason)}. ${remedies[subject]({ who, key, userId })}`;
}

function named(who: string, userId: string | undefined): string {
  return userId === undefined ? who : `${who} (user ${userId})`;
}

function idOf(userId: string | undefined): string {
  return userId ?? "the user id";
}
