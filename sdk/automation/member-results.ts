/** The result of each person of a plan: succeeded, already gone, failed with the reason, or skipped. */

import type { AdviceCode } from "../../provider/resources/failures.ts";
import { describeDecision } from "./creations.ts";
import type { Diagnostic } from "./engine/engine.ts";
import { type Action, describeDone, describePlanned } from "./plan/actions.ts";
import { withNames } from "./plan/members.ts";
import type { Plan } from "./plan/plan.ts";
import type { Step } from "./plan/steps.ts";
import type { RosterPerson } from "./roster/roster.ts";
import type { CombinedResult, StepFailure, StepResults } from "./step-results.ts";

export interface MemberResult {
  /** The email or the purpose; the type and name of anything else. */
  readonly who: string;
  readonly key: string;
  readonly stack: string;
  /**
   * `already-gone`: what was to be taken away was not there, so nothing was done at the service. `skipped`: nothing was
   * tried, or nothing was sent for a reason that is told of somebody else.
   */
  readonly status: CombinedResult["status"];
  readonly actions: readonly Action[];
  /** Of the actions, those that found nothing to take away. */
  readonly alreadyGone: readonly Action[];
  /** The row of the roster, such as `people.csv, line 7`; undefined for whoever has none. */
  readonly place: string | undefined;
  /** Why it failed, or what to look at. */
  readonly text: string | undefined;
  /** What the failure is, stable across releases: the code of its remedy, else of the failed call; undefined where it has none. */
  readonly code: string | undefined;
}

/** Whether nothing is left to do. */
export function isSettled({ status }: Pick<MemberResult, "status">): boolean {
  return status === "succeeded" || status === "already-gone";
}

interface RosterContext {
  readonly people: readonly RosterPerson[];
  /** Whether the program is that of a roster. */
  readonly isRoster: boolean;
}

/** Of everything that a plan changes, failed ones first. @param listed what the roster says */
export function memberResults(
  { members, otherResources }: Pick<Plan, "members" | "otherResources">,
  results: StepResults,
  { people, isRoster }: RosterContext,
): MemberResult[] {
  const places = new Map(people.map(({ key, place }) => [key, place]));
  const all = [
    ...members.map(({ label, key, stack, userId, actions: done, steps }) => ({
      ...{ who: label, key, stack, userId, done, steps },
    })),
    ...otherResources.map(({ step, actions: done }) => ({
      ...{ who: `${step.type} ${step.name}`, key: step.name, stack: step.stack, userId: undefined },
      ...{ done, steps: [step] },
    })),
  ];
  const rank = { failed: 0, skipped: 1, "already-gone": 2, succeeded: 3 };
  return all
    .filter(({ done }) => done.length > 0)
    .map(({ done, steps, userId, ...whose }) => {
      const { status, failure, alreadyGone } = results.resultOf(steps);
      // The row of the key is that of the successor.
      const isReplaced = steps.every((step) => step.isReplaced) || steps.some(isReplacedUser);
      const place = isReplaced ? undefined : places.get(whose.key);
      const text =
        status === "already-gone"
          ? describeUnknownUser(userId, alreadyGone)
          : failure && withNames(describeFailure(failure, { ...whose, isRoster }), members);
      const code = failure?.failure?.advice ?? failure?.failure?.code;
      return { ...whose, actions: done, alreadyGone, place, status, text, code };
    })
    .toSorted((a, b) => rank[a.status] - rank[b.status] || (a.who < b.who ? -1 : 1));
}

function isReplacedUser({ type, isReplaced }: Step): boolean {
  return type === "OrgUser" && isReplaced;
}

function describeUnknownUser(userId: string | undefined, gone: readonly Action[]): string | undefined {
  if (userId === undefined) return undefined;
  const what = gone.includes("leave")
    ? `user id ${userId} is unknown to the service`
    : `user id ${userId} had nothing to remove in the service`;
  return `${what}. The same email may exist under another user id. Check the service`;
}

const titles: Readonly<Record<MemberResult["status"], string>> = {
  succeeded: "ok",
  "already-gone": "gone",
  failed: "failed",
  skipped: "skipped",
};
const TITLE_WIDTH = 7;

/** `ok       ada@acme.example  added, seat assigned`, and the reason on a second line. @param width of the names */
export function describeResult(result: MemberResult, width = 0): string {
  const { status, actions, alreadyGone, text } = result;
  const what = isSettled(result) ? describeDone(actions, alreadyGone) : describePlanned(actions);
  const reason = text === undefined ? "" : `\n${" ".repeat(TITLE_WIDTH + 2)}${text}`;
  return `${titles[status].padEnd(TITLE_WIDTH)}  ${nameOfResult(result).padEnd(width)}  ${what}${reason}`;
}

/** The name in a list of results, with the row of the roster unless all is done. */
export function nameOfResult({ who, status, place }: MemberResult): string {
  return status === "succeeded" || place === undefined ? who : `${who} (${place})`;
}

export function errorsWithoutResource(messages: readonly Diagnostic[]): string[] {
  return messages
    .filter(({ severity, urn }) => severity === "error" && urn === undefined)
    .map(({ text }) => text);
}

interface Subject {
  /** The email or the purpose. */
  readonly who: string;
  /** Of the row. */
  readonly key: string;
  readonly userId: string | undefined;
}

const AGAIN = "run `orgseat up` again";

const remedies: Readonly<Record<AdviceCode, (whom: Subject) => string>> = {
  "user-exists": ({ who }) =>
    `${who} is already a member of the organization. Write the user id into \`user_id\` of the row and ${AGAIN}, or run \`orgseat adopt\`.`,
  "user-unknown": ({ who }) =>
    `The service may have added ${who}; orgseat does not send the request again. Check in the service: if ${who} is a member, write the user id into \`user_id\` of the row. Then ${AGAIN}.`,
  "managed-user-unknown": ({ who, key }) =>
    `The service may have a managed user ${who} that is in no state. ${describeDecision(key)}`,
  "managed-user-undecided": ({ key }) => describeDecision(key),
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
    `The service may have issued a token for ${who} whose value is lost. Write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}, which revokes that token, if there is one, and issues a new one.`,
  "token-gone": ({ who }) =>
    `The service no longer has a token of ${who}. To issue a new one, with a new value, run \`orgseat rotate\`.`,
  "token-left": ({ who, userId }) =>
    `${named(who, userId)} still has a valid token that this roster does not manage. To revoke it and remove the rest, run \`orgseat offboard\`.`,
  "seat-or-token-left": ({ who, userId }) =>
    `${named(who, userId)} still has a seat or a token that this roster does not manage. Remove it in the service, then ${AGAIN}.`,
  "subscription-ended": () => `Renew the organization's subscription, then ${AGAIN}.`,
};

/** The sentence about a failure, of a program's resource or, by `roster`, of a row. */
export function describeFailure(
  { text, failure, userId }: StepFailure,
  { who, key, isRoster }: Omit<Subject, "userId"> & { readonly isRoster: boolean },
): string {
  const { advice, reason = text } = failure ?? {};
  const inProgram = text.replaceAll("`pulumi up`", "`orgseat up`");
  if (!isRoster || advice === undefined) return inProgram;
  return `${reason.replace(/[.\s]*$/, "")}. ${remedies[advice]({ who, key, userId })}`;
}

function named(who: string, userId: string | undefined): string {
  return userId === undefined ? who : `${who} (user ${userId})`;
}

function idOf(userId: string | undefined): string {
  return userId ?? "the user id";
}
