/** `orgseat offboard`. */

import { type OffboardResult, offboardPeople, type Revoked } from "../automation/offboard.ts";
import { describeUnproven } from "../automation/previous-stacks.ts";
import type { OffboardFlags } from "./flags.ts";
import { resultToJson, resultToText } from "./results.ts";
import { runVerb } from "./session.ts";
import { requireConfirmation } from "./terminal.ts";

export function offboardVerb(who: readonly string[], options: OffboardFlags): Promise<void> {
  const { by, lockTimeout, json } = options;
  return runVerb<OffboardResult>(
    "Taking out",
    // Asked once, before the tokens are revoked; the run that follows does the rest of the same.
    { ...options, yes: true },
    (organization, up, pause) =>
      offboardPeople(organization, who, {
        ...up,
        by,
        lockTimeoutMs: lockTimeout === undefined ? undefined : lockTimeout * 1000,
        beforeRevoke: (people) => {
          pause();
          return requireConfirmation(questionOf(people), options);
        },
        onRevoked: (revoked) => {
          if (!json) console.log(`${revoked.map(inWords).join("\n")}\n`);
        },
      }),
    {
      text: offboardToText,
      json: offboardToJson,
      acceptEndedSubscription: true,
      triesCredentials: false,
    },
  );
}

/** What it prints at its end. By then the tokens are revoked, and it has been said. */
export function offboardToText(result: OffboardResult): string {
  return `${removedBeforeIn(result)}${unknownIn(result)}${endingOf(result)}`;
}

/** The form of `--json`: what became of the tokens beside the run, and what is left to do by hand. */
export function offboardToJson(result: OffboardResult) {
  const { revoked, unknown, unproven, removedBefore, edit } = result;
  return {
    ...resultToJson(result),
    revoked: revoked.map(({ who, userId, ...answer }) => ({
      ...{ who, userId, outcome: answer.outcome },
      reason: answer.outcome === "failed" ? answer.reason : null,
    })),
    unknown,
    unproven,
    removedBefore,
    edit,
  };
}

function questionOf(people: readonly string[]): string {
  const [first] = people;
  if (people.length === 1) return `Revoke the token of ${first} now?`;
  return `${people.map((who) => `  ${who}\n`).join("")}Revoke the tokens of ${people.length} people now?`;
}

const UNCHANGED =
  "Seats and memberships were not changed. Run it again, or `orgseat up`, for what is left of them.";

function unknownIn({ unknown, unproven }: OffboardResult): string {
  const unheard = unknown.filter((name) => !unproven.some(({ who }) => who === name));
  const texts = [
    ...(unheard.length === 0
      ? []
      : [`NOT offboarded, because no stack has them: ${unheard.join(", ")}. Check the spelling.`]),
    ...(unproven.length === 0 ? [] : [`NOT offboarded: ${describeUnproven(unproven)}.`]),
  ];
  return texts.map((text) => `${text}\n\n`).join("");
}

function removedBeforeIn({ removedBefore }: OffboardResult): string {
  const lines = removedBefore.map(({ who, leftAt }) => `${who}: removed before (${leftAt}); nothing to do\n`);
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

function endingOf(result: OffboardResult): string {
  const told = resultToText(result, UNCHANGED);
  if (result.edit === "") return told;
  return `${told}\n\nUntil the roster says so too, the leaver list keeps them out. The edit that is left to do:\n\n${result.edit}`;
}

function inWords(revoked: Revoked): string {
  if (revoked.outcome === "failed")
    return `${revoked.who}: the token could NOT be revoked: ${revoked.reason}`;
  return revoked.outcome === "revoked"
    ? `${revoked.who}: token revoked`
    : `${revoked.who}: the service has no token of user id ${revoked.userId}`;
}
