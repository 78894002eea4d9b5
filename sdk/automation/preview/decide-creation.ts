/** Your decision about a machine user whom an earlier run may have created: finds the creation, and records the decision in its stack's tags. */

import { newTagName, tagValue } from "../../../provider/unfinished/tags.ts";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { nameIn, type Step } from "../plan/steps/steps.ts";
import type { PlacedStacks } from "../stacks/organization.ts";
import { createsMachineUser, type EarlierCreation, hashOfStep } from "./creations.ts";
import { resolveMembers } from "./resolve-members.ts";

/** The service has the user with this id, or the user does not exist. */
export type CreationDecision = { readonly exists: string } | { readonly missing: true };

interface Candidate {
  readonly key: string;
  readonly label: string;
  readonly creation: EarlierCreation;
}

/**
 * The creation that a decision is about. Machine users with the same names are interchangeable: a decision about one of them
 * can be about a creation that the plan shows at another.
 * @param who a key or a purpose @throws if no earlier run may have created this machine user
 */
export function creationOf(
  who: string,
  creations: readonly EarlierCreation[],
  steps: readonly Step[],
): EarlierCreation {
  const candidates = steps.filter(createsMachineUser).flatMap((step): Candidate[] => {
    const { member: key, urn } = step;
    const creation = preferred(
      creations.find((one) => one.urn === urn),
      creations.filter(({ hash }) => hash === hashOfStep(step)),
    );
    return creation === undefined ? [] : [{ key, label: nameIn(step.news) ?? key, creation }];
  });
  const [found] = resolveMembers([who], candidates, "the list of machine users that may exist");
  if (found === undefined)
    throw new CodedError("unknown-person", `${who} is not in the list of machine users that may exist`);
  return found.creation;
}

/** The member's own creation, unless only one of the same names is undecided. */
function preferred(
  own: EarlierCreation | undefined,
  sameNames: readonly EarlierCreation[],
): EarlierCreation | undefined {
  if (own !== undefined && isUndecided(own)) return own;
  return sameNames.find(isUndecided) ?? own;
}

function isUndecided({ tag }: EarlierCreation): boolean {
  return tag?.userId === undefined;
}

/** @throws if a stack or another decision has the user */
export function requireFreeUser(
  userId: string,
  { label, urn }: EarlierCreation,
  creations: readonly EarlierCreation[],
  steps: readonly Step[],
): void {
  const manager = steps.some(({ type, id }) => type === "OrgUser" && id === userId)
    ? "a stack already manages this user for another person"
    : creations.some((other) => other.urn !== urn && other.tag?.userId === userId)
      ? "this user is recorded for another machine user"
      : undefined;
  if (manager === undefined) return;
  throw new CodedError(
    "wrong-user-id",
    `cannot use user ${userId} for ${label}: ${manager}. Check the user id in the service's admin console`,
  );
}

/** Writes the decision into the tags, which the next preview and the provider read. */
export async function recordDecision(
  { engine: { store } }: PlacedStacks,
  { stack, hash, time, userId, tag }: EarlierCreation,
  decision: CreationDecision,
): Promise<void> {
  // The decision that there is none stays until the next creation, because it can change before that. With a user id, it
  // also closes what the audit log says.
  const value =
    "exists" in decision
      ? tagValue({ time, userId: decision.exists })
      : tagValue({ time, userId, isClosed: true });
  await store.setTag(tag?.stack ?? stack, tag?.name ?? newTagName(hash), value);
}
