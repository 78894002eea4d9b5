/** A plan: the changes that a preview of all stacks found, per person, with the figures for guards and texts. */
import type { ApprovedChange } from "../../provider/safety/approved-changes.ts";
import type { RosterFile } from "../roster/roster.ts";
import { type EndedAccess, withEndReason } from "./access-ends.ts";
import { approvedChangesOf, type Removal, removalsOf } from "./approved-changes.ts";
import { actionsIn, type PlanEntry } from "./entries.ts";
import {
  groupByMember,
  identityOf,
  inOrder,
  inRosterOrder,
  type Member,
  type OtherResource,
  type PlannedMember,
} from "./members.ts";
import { type Seats, seatsOf } from "./seats.ts";
import { removesAccess } from "./steps/actions.ts";
import { isChange, memberPath, methodKey, type Step } from "./steps/steps.ts";

export interface Plan {
  readonly organizationId: string;
  readonly steps: readonly Step[];
  /** In the order of the roster, then by name. */
  readonly members: readonly PlannedMember[];
  readonly otherResources: readonly OtherResource[];
  /** All operations of a run of the plan. */
  readonly entries: readonly PlanEntry[];
  /** The number of people in the states before the run. */
  readonly managed: number;
  /** The members who lose a token, a seat, or the membership. */
  readonly losingAccess: readonly PlannedMember[];
  readonly removals: readonly Removal[];
  /** The only changes that a run of this plan may make. */
  readonly approvedChanges: readonly ApprovedChange[];
  readonly seats: Seats;
  /** The organizations of the steps. */
  readonly organizations: readonly string[];
  /** Whether a run of the plan would change anything. */
  readonly hasChanges: boolean;
  /**
   * False if the preview did not finish, or the roster does not belong to these stacks: then the steps are not what a run
   * would do, and their figures are not shown.
   */
  readonly isComplete: boolean;
}

export interface PlanOptions {
  readonly organizationId: string;
  /** The declared number of seats; undefined if it is not declared. */
  readonly declaredSeats: number | undefined;
  /** The ids of all users whom the service lists with a seat. Default: none. */
  readonly seatHolders?: ReadonlySet<string> | undefined;
  /** The people of the roster whose access has ended. Default: none. */
  readonly endedAccess?: EndedAccess | undefined;
  /** The keys of the roster in its order: the members are in this order, the others after them by name. Default: none. */
  readonly order?: readonly string[] | undefined;
  /** The file of a key, in a roster of several files. Default: none. */
  readonly fileOf?: ((key: string) => RosterFile | undefined) | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function planOf(
  steps: readonly Step[],
  { organizationId, declaredSeats, seatHolders, endedAccess = new Map(), order, fileOf, now }: PlanOptions,
): Plan {
  const { members: found, otherResources } = groupByMember(steps, now);
  const members = inRosterOrder(found, order).map((member) => ({
    ...withUndecided(withEndReason(member, endedAccess)),
    file: fileOf?.(member.key),
  }));
  const entries = [...members, ...otherResources].flatMap((one) => one.entries);
  return {
    organizationId,
    steps,
    members,
    otherResources,
    entries,
    managed: new Set(members.filter(({ isManaged }) => isManaged).map(identityOf)).size,
    losingAccess: members.filter(({ actions }) => actions.some(removesAccess)),
    removals: removalsOf(steps, now),
    approvedChanges: approvedChangesOf(steps, entries, now),
    seats: seatsOf(members, steps, declaredSeats, seatHolders),
    organizations: [...new Set(steps.flatMap(organizationOf))],
    hasChanges: steps.some(isChange),
    isComplete: true,
  };
}

function organizationOf({ olds, news }: Step): string[] {
  return [olds?.organizationId, news?.organizationId].filter((id) => typeof id === "string");
}

/** Steps of a run that are not in its plan, so that the people whom they concern have a result too. */
interface Unplanned {
  readonly unplanned: readonly Step[];
  /** The members in the states after the run: the step of a person who is not in the plan may have the key only. */
  readonly managed: readonly Member[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The members and other resources of a plan and of the unplanned steps; each person is one member. */
export function withUnplanned(
  { steps, members, otherResources }: Plan,
  { unplanned, managed, now }: Unplanned,
): Pick<Plan, "members" | "otherResources"> {
  const paths = new Set(unplanned.map(memberPath));
  const keys = new Set(unplanned.map(methodKey));
  const theirs = steps.filter((step) => paths.has(memberPath(step)) && !keys.has(methodKey(step)));
  const found = groupByMember([...theirs, ...unplanned], now);
  const named = found.members.map((member): PlannedMember => {
    const known = managed.find(({ stack, key }) => stack === member.stack && key === member.key);
    return member.label === member.key && known ? { ...member, label: known.label } : member;
  });
  return {
    members: [...members.filter(({ stack, key }) => !paths.has(`${stack}/${key}`)), ...named],
    otherResources: [
      ...otherResources.filter(({ step }) => !paths.has(memberPath(step))),
      ...found.otherResources,
    ],
  };
}

/** A member whom the service has already, or may have. */
function withUndecided(member: PlannedMember): PlannedMember {
  const waits = member.steps.some(
    ({ type, isRefused, undecided }) => type === "OrgUser" && (isRefused || undecided),
  );
  return waits ? undecided(member) : member;
}

/** Seat and token need the user. What the row no longer has is removed anyway. */
function undecided(member: PlannedMember): PlannedMember {
  const removed = new Set(member.steps.flatMap(({ action, urn }) => (action === "delete" ? [urn] : [])));
  const entries = member.entries.filter(({ urn }) => removed.has(urn));
  return { ...member, entries, actions: inOrder(["undecided", ...actionsIn(entries)]) };
}
