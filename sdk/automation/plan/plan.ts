/** A plan: what a preview of all stacks found, by person, with what the guards and the words are made from. */
import type { ApprovedChange } from "../../../provider/approved-changes.ts";
import { approvedChangesOf } from "./approved-changes.ts";
import {
  groupByMember,
  identityOf,
  membersLosingAccess,
  type OtherResource,
  type PlannedMember,
} from "./members.ts";
import { type Removal, removalsOf } from "./removals.ts";
import { type Seats, seatsOf } from "./seats.ts";
import { isChange, type Step } from "./steps.ts";

export interface Plan {
  readonly organizationId: string;
  readonly steps: readonly Step[];
  readonly members: readonly PlannedMember[];
  readonly otherResources: readonly OtherResource[];
  /** How many people the states have before the run. */
  readonly managed: number;
  /** Whoever loses a token, a seat or the membership. */
  readonly losingAccess: readonly PlannedMember[];
  readonly removals: readonly Removal[];
  /** What a run that applies the plan may do, and nothing else. */
  readonly approvedChanges: readonly ApprovedChange[];
  readonly seats: Seats;
  /** The organizations that the steps are about. */
  readonly organizations: readonly string[];
  /** Whether applying it would do anything. */
  readonly hasChanges: boolean;
  /**
   * False where the preview did not finish, or the roster is not the one of these stacks: then the steps do not say what
   * would happen, and no figure made of them is shown.
   */
  readonly isComplete: boolean;
}

export interface PlanOptions {
  readonly organizationId: string;
  /** Seats bought, where somebody has declared it. */
  readonly declaredSeats: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function planOf(steps: readonly Step[], { organizationId, declaredSeats, now }: PlanOptions): Plan {
  const { members, things } = groupByMember(steps, now);
  return {
    organizationId,
    steps,
    members,
    otherResources: things,
    managed: new Set(members.filter(({ isManaged }) => isManaged).map(identityOf)).size,
    losingAccess: membersLosingAccess(members),
    removals: removalsOf(steps, now),
    approvedChanges: approvedChangesOf(steps, now),
    seats: seatsOf(members, steps, declaredSeats),
    organizations: [...new Set(steps.flatMap(organizationOf))],
    hasChanges: steps.some(isChange),
    isComplete: true,
  };
}

function organizationOf({ olds, news }: Step): string[] {
  return [olds?.organizationId, news?.organizationId].filter((id) => typeof id === "string");
}
