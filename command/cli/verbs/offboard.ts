/** `orgseat offboard`. */

import { parseDuration } from "../../../provider/util/duration.ts";
import { cut, grouped, limitOf } from "../../../provider/util/text.ts";
import type { TextOptions } from "../../plan/texts/text.ts";
import { describeUnmanaged } from "../../preview/people-to-remove.ts";
import { describeUnverifiedRemovals } from "../../preview/resolve-members.ts";
import { type OffboardResult, offboardPeople } from "../../verbs/offboard.ts";
import type { Revoked } from "../../verbs/revocation.ts";
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
          const isOfDirectory = organization.roster.membership !== undefined;
          await requireConfirmation(questionOf(people, isOfDirectory, options), options);
          asking.startsWriting();
        },
        onRevoking: asking.onRevoking,
        onRevoked: (revoked) => {
          if (!json) print(`${revoked.map(describeRevocation).join("\n")}\n`);
        },
      }),
    {
      text: offboardToText,
      json: offboardToJson,
      acceptEndedSubscription: true,
      acceptUnreadableState: true,
      triesCredentials: false,
    },
  );
}

/** The text at the end. The results of the revocations are printed before. */
export function offboardToText(result: OffboardResult, options: TextOptions = {}): string {
  return `${alreadyRemovedInText(result)}${unknownInText(result)}${leftInText(result)}${endingInText(result, options)}`;
}

/** The form of `--json`: the results of the revocations and of the run, and the edit that is left to do. */
export function offboardToJson(result: OffboardResult) {
  const { revoked, unknown, unverified, unmanaged, alreadyRemoved, left, leftToDirectory, edit } = result;
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
    left: left.map(({ userId = null, ...one }) => ({ ...one, userId })),
    leftToDirectory,
    edit,
  };
}

function questionOf(
  people: readonly string[],
  isOfDirectory: boolean,
  options: Pick<OffboardFlags, "verbose" | "keepMember">,
): string {
  const [first] = people;
  const isOne = people.length === 1;
  const what = isOne ? `the token of ${first}` : `the tokens of ${grouped(people.length)} people`;
  const then = isOne ? ["the seat", "the membership"] : ["their seats", "their memberships"];
  const names = isOne
    ? []
    : cut(
        people.map((name) => `  ${name}`),
        limitOf(options),
      );
  return [...names, `Revoke ${what} now${consequence(then, isOfDirectory, options)}`].join("\n");
}

function consequence(
  [seat, membership]: readonly string[],
  isOfDirectory: boolean,
  { keepMember }: Pick<OffboardFlags, "keepMember">,
): string {
  if (keepMember) return "? The rest stays until the row is deleted; then `on_delete` decides.";
  if (isOfDirectory) return `, then remove ${seat}? The directory owns ${membership}.`;
  return `, then remove ${seat} and ${membership}, whatever \`on_delete\` says?`;
}

const UNCHANGED =
  "Seats and memberships were not changed. Run `orgseat offboard` again, or `orgseat up`, to remove them.";

function unknownInText({ unknown, unverified, unmanaged }: OffboardResult): string {
  const misspelt = unknown.filter((name) => ![...unverified, ...unmanaged].some(({ who }) => who === name));
  const explained = [...unmanaged.map(describeUnmanaged), ...describeUnverifiedRemovals(unverified)];
  const texts = [
    ...(misspelt.length === 0
      ? []
      : [
          `NOT offboarded, because the stack does not contain them: ${misspelt.join(", ")}. Check the spelling.`,
        ]),
    ...(explained.length === 0 ? [] : [`NOT offboarded: ${explained.join("\n")}.`]),
  ];
  return texts.map((text) => `${text}\n\n`).join("");
}

function alreadyRemovedInText({ alreadyRemoved }: OffboardResult): string {
  const lines = alreadyRemoved.map(({ who, leftAt }) => `${who}: already removed (${leftAt}); no changes\n`);
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

/** What remains of people whose state is out of reach, and what ends it. */
function leftInText({ left }: OffboardResult): string {
  const texts = left.map(({ who, userId, stack, isMissing, what }) => {
    const id = userId === undefined ? "" : ` (user id ${userId})`;
    const still = what.length === 0 ? "nothing but the token in the state" : what.join(", ");
    const unknown =
      userId === undefined
        ? " Neither the service nor the roster says which user this is, so no request was sent."
        : "";
    const next = isMissing
      ? `stack ${stack} does not exist. Restore its state, then run \`orgseat up\`; or remove the rest in the service`
      : `the state of stack ${stack} cannot be read. Heal it as the message about it says, then run \`orgseat up\`: the offboarded list has this person, so it removes the rest`;
    return `Left of ${who}${id}: ${still}.${unknown}\n  ${next}\n\n`;
  });
  return texts.join("");
}

function endingInText(result: OffboardResult, options: TextOptions): string {
  const why = "The roster still lists them; the offboarded list keeps them out.";
  const left = result.edit === "" ? "" : rosterChangeInText(result.edit, why, TO_DO);
  return resultToText(result, options, UNCHANGED) + leftToDirectoryInText(result) + left;
}

function leftToDirectoryInText({ leftToDirectory }: OffboardResult): string {
  if (leftToDirectory.length === 0) return "";
  return `\n\nThe directory owns the membership of ${leftToDirectory.join(", ")}: remove or disable the user there.`;
}

function describeRevocation(revoked: Revoked): string {
  if (revoked.outcome === "failed") return `${revoked.who}: cannot revoke the token: ${revoked.reason}`;
  return revoked.outcome === "revoked"
    ? `${revoked.who}: token revoked`
    : `${revoked.who}: the service has no token of user id ${revoked.userId}`;
}
