/** Members about whom nothing shows whether a request had an effect: someone has to decide. Pure. */
import type { Decision, MemberPlan } from "../members/plan.ts";
import { overrideError, overrideFor } from "../plan/guards/override.ts";
import { plannedMember } from "../plan/members.ts";
import type { Removal } from "../plan/plan.ts";
import type { Organization } from "../stacks/organization.ts";

/** A member about whom a decision is due: nothing shows whether a request had an effect. */
export interface UndecidedMember {
  readonly key: string;
  readonly who: string;
  /** When it was requested, a timestamp. */
  readonly time: string;
  /** Why, and what to do. */
  readonly text: string;
}

export function undecidedIn(members: readonly MemberPlan[]): UndecidedMember[] {
  return members.flatMap((member) => {
    const [missing] = missingIn(member);
    const wait = member.plan.waits.find(({ since }) => since !== undefined);
    if (missing === undefined || wait === undefined) return [];
    const planned = plannedMember(member, "");
    return { key: member.key, who: member.label, time: wait.since ?? "", text: planned.reasons.join(" ") };
  });
}

/** The decision that lets a member go on whose user does not exist. */
export function missingIn({ ref, plan }: MemberPlan): (readonly [ref: string, decision: Decision])[] {
  const wait = plan.waits.find(
    ({ reason }) => reason === "userUndecided" || reason === "removalUndecided" || reason === "pendingOther",
  );
  if (wait?.since === undefined) return [];
  const of = wait.reason === "removalUndecided" ? "removal" : "creation";
  return [[ref, { missing: { of, since: wait.since } }]];
}

function removalsOfUndecided(undecided: readonly UndecidedMember[]): Removal[] {
  return undecided.map(({ key, time }) => ({ operation: "add user", id: `${key} requested at ${time}` }));
}

export function overrideOfUndecided(
  { roster }: Organization,
  undecided: readonly UndecidedMember[],
  now: number,
): string {
  return overrideFor(roster.organizationId, removalsOfUndecided(undecided), now);
}

/** Whether `--approve` has the override that a plan printed for them. */
export function isApproved(
  undecided: readonly UndecidedMember[],
  approve: string | undefined,
  { roster, openedAt }: Organization,
): boolean {
  if (approve === undefined || undecided.length === 0) return false;
  return (
    overrideError(approve, roster.organizationId, removalsOfUndecided(undecided), openedAt) === undefined
  );
}
