/** What became of each person of a plan: done, not there any more, failed and why, or skipped. */
import type { Diagnostic } from "./engine/engine.ts";
import { type Action, actions, describeIfGone } from "./plan/actions.ts";
import { withNames } from "./plan/members.ts";
import type { Plan } from "./plan/plan.ts";
import { describeFailure } from "./remedies.ts";
import type { RosterPerson } from "./roster/roster.ts";
import type { CombinedResult, StepResults } from "./step-results.ts";

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
  /** Of the deeds, those that found nothing to take away. */
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
  return status === "done" || status === "already-gone";
}

interface Listed {
  readonly people: readonly RosterPerson[];
  /** Whether the program is that of a roster. */
  readonly isRoster: boolean;
}

/** Of everything that a plan changes, failed ones first. @param listed what the roster says */
export function memberResults(
  { members, otherResources }: Pick<Plan, "members" | "otherResources">,
  ledger: StepResults,
  { people, isRoster }: Listed,
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
  const rank = { failed: 0, skipped: 1, "already-gone": 2, done: 3 };
  return all
    .filter(({ done }) => done.length > 0)
    .map(({ done, steps, userId, ...whose }) => {
      const { status, failure, alreadyGone } = ledger.resultOf(steps);
      // The row of the key is that of the successor.
      const place = steps.every(({ isReplaced }) => isReplaced) ? undefined : places.get(whose.key);
      const text =
        status === "already-gone"
          ? describeUnknownUser(userId, alreadyGone)
          : failure && withNames(describeFailure(failure, { ...whose, isRoster }), members);
      const code = failure?.failure?.advice ?? failure?.failure?.code;
      return { ...whose, actions: done, alreadyGone, place, status, text, code };
    })
    .toSorted((a, b) => rank[a.status] - rank[b.status] || (a.who < b.who ? -1 : 1));
}

function describeUnknownUser(userId: string | undefined, gone: readonly Action[]): string | undefined {
  if (userId === undefined) return undefined;
  const what = gone.includes("leave")
    ? `user id ${userId} is unknown to the service`
    : `the service had nothing to take away from user id ${userId}`;
  return `${what}; the same email may exist under another user id: check the service`;
}

const titles: Readonly<Record<MemberResult["status"], string>> = {
  done: "done",
  "already-gone": "already gone",
  failed: "failed",
  skipped: "skipped",
};

/** `ada@acme.example: done: joins, gets a seat`. */
export function describeResult({
  who,
  status,
  actions: done,
  alreadyGone,
  place,
  text,
}: MemberResult): string {
  const what = done
    .map((deed) => (alreadyGone.includes(deed) ? describeIfGone(deed) : actions[deed].text))
    .join(", ");
  const row = status === "done" || place === undefined ? "" : ` (${place})`;
  return `${who}${row}: ${titles[status]}: ${what}${text === undefined ? "" : `\n    ${text}`}`;
}

export function errorsWithoutResource(messages: readonly Diagnostic[]): string[] {
  return messages
    .filter(({ severity, urn }) => severity === "error" && urn === undefined)
    .map(({ text }) => text);
}
