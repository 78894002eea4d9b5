/** Guards about the public keys that tokens are sealed for: a foreign key, or none, gives a token to someone else. */
import { type Held, type HeldToken, liveTokensOf } from "../../../provider/member/held.ts";
import { countedPeople } from "../../../provider/util/text.ts";
import { fingerprintOf, knownKey } from "../../roster/facts.ts";
import type { RosterFacts } from "../../roster/roster.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { type Violation, violation, violationAbout } from "./violation.ts";

/** A key belongs to one person: what it opens is readable to that person. @param facts of the state */
export function foreignKeys({ members }: Plan, facts: readonly RosterFacts[]): Violation[] {
  const owners = ownersOf(members, facts);
  const found = members.flatMap((member) => {
    const owner = fingerprintOf(member.key);
    const foreign = addedKeys(member).filter((key) =>
      [...(owners.get(key) ?? [])].some((other) => other !== owner),
    );
    if (foreign.length === 0) return [];
    return { member, detail: `${member.label}: ${[...new Set(foreign)].join(", ")}` };
  });
  return violationAbout(
    "foreign-key",
    found,
    (people) =>
      `${people} would get a token sealed for a public key that another person has or had, so that person could read it. Use a key that only this person has; \`age-keygen\` makes a new key pair.`,
  );
}

/** By the fingerprint of a key, those of all owners, before and after the run. */
function ownersOf(
  members: readonly PlannedMember[],
  facts: readonly RosterFacts[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const inPlan = members.flatMap(({ key: owner, steps: { row, member } }) => {
    const sealedFor = liveTokens(member?.held).flatMap((token) => token.sealedFor ?? []);
    return [...sealedFor, ...(row?.recipients ?? [])].map((key) => knownKey(fingerprintOf(key), owner));
  });
  const owners = new Map<string, Set<string>>();
  for (const known of [...inPlan, ...facts.flatMap(({ keys = [] }) => keys)]) {
    const [key = "", owner = ""] = known.split(" ");
    owners.set(key, (owners.get(key) ?? new Set()).add(owner));
  }
  return owners;
}

function liveTokens(held: Held | undefined): readonly HeldToken[] {
  return held === undefined ? [] : liveTokensOf(held);
}

/** The keys of a new token that the one before it was not sealed for. */
function addedKeys({ entries, steps }: PlannedMember): string[] {
  const before = new Set(
    liveTokens(steps.member?.held).flatMap(({ sealedFor = [] }) => sealedFor.map(fingerprintOf)),
  );
  return entries.flatMap(({ facts }) => (facts.recipients ?? []).filter((key) => !before.has(key)));
}

/** A roster cannot end the rule for the tokens of the same run. @param facts of the states */
export function unsealedTokens({ members }: Plan, facts: readonly RosterFacts[]): Violation[] {
  if (!facts.some(({ requireSealedTokens }) => requireSealedTokens === true)) return [];
  const found = members.filter(getsUnsealedToken);
  if (found.length === 0) return [];
  return violation(
    "unsealed-token",
    `${countedPeople(found.length)} would get a token that is not sealed, but the state has \`require_sealed_tokens: true\`. Restore the recipients. To drop the requirement, first remove \`require_sealed_tokens\` in a separate change.`,
    found,
  );
}

function getsUnsealedToken({ entries }: PlannedMember): boolean {
  return entries.some(
    ({ operation, facts }) => operation === "issue token" && facts.recipients === undefined,
  );
}
