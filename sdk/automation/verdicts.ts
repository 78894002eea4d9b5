/** What became of each person of a plan: done, not there any more, failed and why, or skipped. */
import type { Said } from "./engine/engine.ts";
import type { Ledger, StepsResult } from "./ledger.ts";
import { type Deed, deeds, wordsOfGone } from "./plan/deeds.ts";
import { withNames } from "./plan/people.ts";
import type { Plan } from "./plan/plan.ts";
import { faultInWords } from "./remedies.ts";
import type { Person } from "./roster/roster.ts";

export interface Verdict {
  /** The email or the purpose; the type and name of anything else. */
  readonly who: string;
  readonly key: string;
  readonly stack: string;
  /**
   * `already-gone`: what was to be taken away was not there, so nothing was done at the service. `skipped`: nothing was
   * tried, or nothing was sent for a reason that is told of somebody else.
   */
  readonly verdict: StepsResult["verdict"];
  readonly deeds: readonly Deed[];
  /** Of the deeds, those that found nothing to take away. */
  readonly gone: readonly Deed[];
  /** The row of the roster, such as `people.csv, line 7`; undefined for whoever has none. */
  readonly place: string | undefined;
  /** Why it failed, or what to look at. */
  readonly text: string | undefined;
  /** What the failure is, stable across releases: the code of its remedy, else of the failed call; undefined where it has none. */
  readonly code: string | undefined;
}

/** Whether nothing is left to do. */
export function isSettled({ verdict }: Pick<Verdict, "verdict">): boolean {
  return verdict === "done" || verdict === "already-gone";
}

interface Listed {
  readonly people: readonly Person[];
  /** Whether the program is that of a roster. */
  readonly isRoster: boolean;
}

/** Of everything that a plan changes, failed ones first. @param listed what the roster says */
export function verdictsOf(
  { members, things }: Pick<Plan, "members" | "things">,
  ledger: Ledger,
  { people, isRoster }: Listed,
): Verdict[] {
  const places = new Map(people.map(({ key, place }) => [key, place]));
  const all = [
    ...members.map(({ label, key, stack, userId, deeds: done, steps }) => ({
      ...{ who: label, key, stack, userId, done, steps },
    })),
    ...things.map(({ step, deeds: done }) => ({
      ...{ who: `${step.type} ${step.name}`, key: step.name, stack: step.stack, userId: undefined },
      ...{ done, steps: [step] },
    })),
  ];
  const rank = { failed: 0, skipped: 1, "already-gone": 2, done: 3 };
  return all
    .filter(({ done }) => done.length > 0)
    .map(({ done, steps, userId, ...whose }) => {
      const { verdict, fault, gone } = ledger.resultOf(steps);
      // The row of the key is that of the successor.
      const place = steps.every(({ isReplaced }) => isReplaced) ? undefined : places.get(whose.key);
      const text =
        verdict === "already-gone"
          ? unknownInWords(userId, gone)
          : fault && withNames(faultInWords(fault, { ...whose, isRoster }), members);
      const code = fault?.failure?.advice ?? fault?.failure?.code;
      return { ...whose, deeds: done, gone, place, verdict, text, code };
    })
    .toSorted((a, b) => rank[a.verdict] - rank[b.verdict] || (a.who < b.who ? -1 : 1));
}

function unknownInWords(userId: string | undefined, gone: readonly Deed[]): string | undefined {
  if (userId === undefined) return undefined;
  const what = gone.includes("leave")
    ? `user id ${userId} is unknown to the service`
    : `the service had nothing to take away from user id ${userId}`;
  return `${what}; the same email may exist under another user id: check the service`;
}

const titles: Readonly<Record<Verdict["verdict"], string>> = {
  done: "done",
  "already-gone": "already gone",
  failed: "failed",
  skipped: "skipped",
};

/** `ada@acme.example: done: joins, gets a seat`. */
export function verdictInWords({ who, verdict, deeds: done, gone, place, text }: Verdict): string {
  const what = done.map((deed) => (gone.includes(deed) ? wordsOfGone(deed) : deeds[deed].words)).join(", ");
  const row = verdict === "done" || place === undefined ? "" : ` (${place})`;
  return `${who}${row}: ${titles[verdict]}: ${what}${text === undefined ? "" : `\n    ${text}`}`;
}

export function errorsWithoutResource(messages: readonly Said[]): string[] {
  return messages
    .filter(({ severity, urn }) => severity === "error" && urn === undefined)
    .map(({ text }) => text);
}
