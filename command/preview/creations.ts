/**
 * Machine users that may exist already, because their creation got no answer: the state has a placeholder or a pending
 * operation. Or a restored state lacks them, and the audit log has them. `up` leaves them alone until a decision.
 */

import { take } from "../../provider/util/lists.ts";
import { shellWord } from "../../provider/util/text.ts";
import type { Member } from "../plan/members.ts";
import { addsMachineUser, createsMachineUser } from "../plan/steps/machine-users.ts";
import { nameIn, type Step, type Undecided } from "../plan/steps/steps.ts";
import { hashOfUser, isOfStack, lostUsers } from "../service/lost-users.ts";
import { listedMembers, mayHaveUser } from "../service/service-members.ts";
import type { PreviewOutcome } from "../stacks/all-stacks.ts";
import type { Organization } from "../stacks/organization.ts";
import { statesOf, userIdsIn } from "../stacks/stack-state.ts";

/** A machine user whom this plan would create, and whom an earlier run may have created. */
export interface EarlierCreation extends Member {
  readonly urn: string;
  /** When the earlier run sent the request, a timestamp. */
  readonly time: string;
}

/** Marks the steps about which a decision is due. What such a user replaces waits with it. */
export async function withUndecided(
  organization: Organization,
  outcomes: readonly PreviewOutcome[],
  signal: AbortSignal | undefined,
): Promise<PreviewOutcome[]> {
  const open = new Map(outcomes.flatMap((outcome) => (outcome.open ?? []).map((one) => [one.key, one])));
  const marked = outcomes.map((outcome) => ({
    ...outcome,
    steps: outcome.steps.map((step) => {
      const time = createsMachineUser(step) ? open.get(step.member)?.time : undefined;
      return time === undefined || step.placeholder !== undefined ? step : { ...step, undecided: { time } };
    }),
  }));
  const lost = await lostAmong(organization, marked, signal);
  return marked.map((outcome) => {
    const steps = outcome.steps.map((step) => {
      const undecided = step.undecided ?? lost.get(step);
      return undecided === undefined ? step : { ...step, undecided };
    });
    const waiting = new Set(steps.flatMap(({ undecided, urn }) => (undecided ? urn : [])));
    return { ...outcome, steps: steps.filter(({ isReplaced, urn }) => !(isReplaced && waiting.has(urn))) };
  });
}

/** By the step that would create it again, the machine users whom the audit log alone shows. */
async function lostAmong(
  organization: Organization,
  outcomes: readonly PreviewOutcome[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Step, Undecided>> {
  const creations = outcomes.flatMap(({ steps }) => steps).filter(addsMachineUser);
  const hashes = new Set(creations.map(({ news }) => hashOfUser(news)));
  if (hashes.size === 0) return new Map();
  const candidates = lostUsers(organization, new Set()).filter(({ hash }) => hashes.has(hash));
  if (candidates.length === 0) return new Map();
  // Of all stacks, including those without a preview.
  const inStates = userIdsIn(await statesOf(organization));
  const lost = candidates.filter(({ userId }) => !inStates.has(userId));
  if (lost.length === 0) return new Map();
  const members = await listedMembers(organization, new Set(lost.map(({ userId }) => userId)), signal);
  const left = lost.filter(({ userId }) => mayHaveUser(members, userId));
  return new Map(
    creations.flatMap((step) => {
      const user = take(left, (one) => one.hash === hashOfUser(step.news) && isOfStack(one, step.stack));
      return user === undefined ? [] : [[step, { time: user.time, userId: user.userId }] as const];
    }),
  );
}

export function earlierCreations(steps: readonly Step[]): EarlierCreation[] {
  return steps.flatMap(({ stack, urn, member: key, news, undecided }) =>
    undecided === undefined
      ? []
      : [{ stack, urn, key, label: nameIn(news) ?? key, userId: undefined, ...undecided }],
  );
}

/** One line of a preview. */
export function describeCreation({ key, label, time, userId }: EarlierCreation): string {
  return `${label}: skipped. ${describeUndecided({ member: key, undecided: { time, userId } })}`;
}

/** Why a run leaves the machine user alone, and what to do. */
export function describeUndecided({ member, undecided }: Pick<Step, "member" | "undecided">): string {
  const { time, userId } = undecided ?? {};
  if (userId === undefined)
    return `A run at ${time} requested this machine user and got no answer, so the user may exist. ${describeDecision(member)}`;
  return `The audit log shows that a run at ${time} created this machine user as user ${userId}, and no state has it. ${CHECK} If it does, write ${userId} into \`user_id\` of the row; if not, run \`orgseat resolve ${shellWord(member)} --missing\`.`;
}

const CHECK = "Check in the service's admin console whether the user exists.";

/** What to do after a creation that got no answer. */
export function describeDecision(key: string): string {
  const who = shellWord(key);
  return `${CHECK} If it does, run \`orgseat resolve ${who} --exists <user id>\`; if not, run \`orgseat resolve ${who} --missing\`.`;
}
