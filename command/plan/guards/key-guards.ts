/** Guards about the public keys that tokens are sealed for: a foreign key, or none, gives a token to someone else. */
import { countedPeople } from "../../../provider/util/text.ts";
import { fingerprintOf, knownKey } from "../../roster/facts.ts";
import type { RosterFacts } from "../../roster/roster.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { fingerprintsIn, keyChangeOf } from "../steps/keys.ts";
import type { Step } from "../steps/steps.ts";
import { type Violation, violation } from "./violation.ts";

/** A key belongs to one person: what it opens is readable to that person. @param facts of the states */
export function foreignKeys({ members, steps }: Plan, facts: readonly RosterFacts[]): Violation[] {
  const owners = ownersOf(steps, facts);
  const found = members.flatMap((member) => {
    const owner = fingerprintOf(member.key);
    const foreign = member.steps
      .flatMap(addedKeys)
      .filter((key) => [...(owners.get(key) ?? [])].some((other) => other !== owner));
    return foreign.length === 0 ? [] : { member, foreign: [...new Set(foreign)] };
  });
  if (found.length === 0) return [];
  const one = violation(
    "foreign-key",
    `${countedPeople(found.length)} would get a token sealed for a public key that another person has or had, so that person could read it. Use a key that only this person has; \`age-keygen\` makes a new key pair.`,
    found.map(({ member }) => member),
  );
  return [{ ...one, details: found.map(({ member, foreign }) => `${member.label}: ${foreign.join(", ")}`) }];
}

/** By the fingerprint of a key, those of all owners, before and after the run. */
function ownersOf(
  steps: readonly Step[],
  facts: readonly RosterFacts[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const inSteps = steps.flatMap(({ type, member, olds, news }) =>
    type === "UserToken"
      ? [...fingerprintsIn(olds), ...fingerprintsIn(news)].map((key) => knownKey(key, member))
      : [],
  );
  const owners = new Map<string, Set<string>>();
  for (const known of [...inSteps, ...facts.flatMap(({ keys = [] }) => keys)]) {
    const [key = "", owner = ""] = known.split(" ");
    owners.set(key, (owners.get(key) ?? new Set()).add(owner));
  }
  return owners;
}

/** An interrupted replacement has sealed for these keys before. */
function addedKeys(step: Step): string[] {
  const { before, after } = keyChangeOf(step) ?? { before: [], after: [] };
  return step.isHalfDone ? [] : after.filter((key) => !before.includes(key));
}

/** A roster cannot end the rule for the tokens of the same run. @param facts of the states */
export function unsealedTokens({ members }: Plan, facts: readonly RosterFacts[]): Violation[] {
  if (!facts.some(({ requireSealedTokens }) => requireSealedTokens === true)) return [];
  const found = members.filter(getsUnsealedToken);
  if (found.length === 0) return [];
  return [
    violation(
      "unsealed-token",
      `${countedPeople(found.length)} would get a token that is not sealed, but the state has \`require_sealed_tokens: true\`. Restore the recipients. To drop the requirement, first remove \`require_sealed_tokens\` in a separate change.`,
      found,
    ),
  ];
}

function getsUnsealedToken({ entries }: PlannedMember): boolean {
  return entries.some(
    ({ operation, facts }) => operation === "issue token" && facts.recipients === undefined,
  );
}
