/** `orgseat offboard`. */

import { parseDuration } from "../../../provider/util/duration.ts";
import { grouped, LISTED } from "../../../provider/util/text.ts";
import type { TextOptions } from "../../plan/texts/text.ts";
import { describeUnmanaged } from "../../preview/people-to-remove.ts";
import { describeUnverifiedRemovals } from "../../preview/resolve-members.ts";
import { type OffboardResult, offboardPeople, type Revoked } from "../../verbs/offboard.ts";
import type { OffboardFlags } from "../line/flags.ts";
import { print } from "../output.ts";
import { resultToText, rosterChangeInText, TO_DO } from "../results.ts";
import { resultToJson } from "../results-json.ts";
import { runVerb } from "../session.ts";
import { requireConfirmation } from "../terminal.ts";

export function offboardVerb(who: readonly string[], options: OffboardFlags): Promise<void> {
  const { by, keepMember, lockTimeout, json } = options;
  return runVerb<OffboardResult>(
    "Offboarding",
    // Asks once, before it revokes the tokens; the run that follows needs no further confirmation.
    { ...options, yes: true },
    (organization, up, asking) =>
      offboardPeople(organization, who, {
        ...up,
        ...{ by, keepMember },
        lockTimeoutMs: lockTimeout === undefined ? undefined : parseDuration(lockTimeout),
        beforeRevoke: async (people) => {
          asking.pause();
          await requireConfirmation(questionOf(people, options.verbose), options);
          asking.startsWriting();
        },
        onRevoked: (revoked) => {
          if (!json) print(`${revoked.map(describeRevocation).join("\n")}\n`);
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

/** The text at the end. The results of the revocations are printed before. */
export function offboardToText(result: OffboardResult, options: TextOptions = {}): string {
  return `${alreadyRemovedInText(result)}${unknownInText(result)}${endingInText(result, options)}`;
}

/** The form of `--json`: the results of the revocations and of the run, and the edit that is left to do. */
export function offboardToJson(result: OffboardResult) {
  const { revoked, unknown, unverified, unmanaged, alreadyRemoved, edit } = result;
  return {
    ...resultToJson(result),
    revoked: revoked.map(({ who, userId, ...answer }) => ({
      ...{ who, userId, outcome: answer.outcome },
      reason: answer.outcome === "failed" ? answer.reason : null,
    })),
    unknown,
    unverified,
    unmanaged,
    alreadyRemoved,
    edit,
  };
}

function questionOf(people: readonly string[], verbose = false): string {
  const [first] = people;
  if (people.length === 1) return `Revoke the token of ${first} now?`;
  const limit = verbose ? people.length : LISTED;
  const more = people.length - limit;
  const names = [...people.slice(0, limit), ...(more > 0 ? [`and ${grouped(more)} more`] : [])];
  return `${names.map((name) => `  ${name}\n`).join("")}Revoke the tokens of ${grouped(people.length)} people now?`;
}

const UNCHANGED =
  "Seats and memberships were not changed. Run `orgseat offboard` again, or `orgseat up`, to remove them.";

function unknownInText({ unknown, unverified, unmanaged }: OffboardResult): string {
  const misspelt = unknown.filter((name) => ![...unverified, ...unmanaged].some(({ who }) => who === name));
  const explained = [...unmanaged.map(describeUnmanaged), ...describeUnverifiedRemovals(unverified)];
  const texts = [
    ...(misspelt.length === 0
      ? []
      : [`NOT offboarded, because no stack contains them: ${misspelt.join(", ")}. Check the spelling.`]),
    ...(explained.length === 0 ? [] : [`NOT offboarded: ${explained.join("\n")}.`]),
  ];
  return texts.map((text) => `${text}\n\n`).join("");
}

function alreadyRemovedInText({ alreadyRemoved }: OffboardResult): string {
  const lines = alreadyRemoved.map(({ who, leftAt }) => `${who}: already removed (${leftAt}); no changes\n`);
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

function endingInText(result: OffboardResult, options: TextOptions): string {
  const why = "The roster still lists them; the offboarded list keeps them out.";
  const left = result.edit === "" ? "" : rosterChangeInText(result.edit, why, TO_DO);
  return resultToText(result, options, UNCHANGED) + left;
}

function describeRevocation(revoked: Revoked): string {
  if (revoked.outcome === "failed") return `${revoked.who}: cannot revoke the token: ${revoked.reason}`;
  return revoked.outcome === "revoked"
    ? `${revoked.who}: token revoked`
    : `${revoked.who}: the service has no token of user id ${revoked.userId}`;
}
