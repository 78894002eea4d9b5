/** Members about whom nothing shows whether a request had an effect: someone has to decide. Pure. */
import type { Decision, MemberPlan } from "../members/plan.ts";
import { type Approval, approvalOf } from "../plan/guards/override.ts";
import { textOf } from "../plan/members.ts";
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
    return { key: member.key, who: member.label, time: wait.since ?? "", text: textOf(wait, member) };
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

/** What `--approve` says of them. */
export function approvalOfUndecided(
  undecided: readonly UndecidedMember[],
  approve: string | undefined,
  { roster, openedAt }: Organization,
): Approval {
  const removals = undecided.map(({ key, time }) => ({
    operation: "add user",
    id: `${key} requested at ${time}`,
  }));
  return approvalOf(approve, roster.organizationId, removals, openedAt);
}
