/** The steps of a plan, grouped by member. */

import { type Action, actionNames } from "../../provider/resources/actions.ts";
import { InternalError } from "../../provider/util/error-codes.ts";
import { folded } from "../../provider/util/text.ts";
import type { RosterFile } from "../roster/roster.ts";
import { actionsIn, entriesOf, type PlanEntry } from "./entries.ts";
import { reasonsOf } from "./steps/scheduled.ts";
import { memberPath, nameIn, type Step, type StepType, textIn } from "./steps/steps.ts";

/** The types of the resources of a member. */
export const MEMBERSHIP: ReadonlySet<StepType> = new Set(["OrgUser", "SeatAssignment", "UserToken"]);

/** A person or a machine user in one stack. */
export interface Member {
  /** The name of the member in the program: the key of the roster. */
  readonly key: string;
  /** The email, otherwise the purpose, otherwise the key; in a plan with the previous one if it changes. */
  readonly label: string;
  readonly stack: string;
  /** Undefined for a person who is not a member yet. */
  readonly userId: string | undefined;
}

/** One member in a plan. */
export interface PlannedMember extends Member {
  /** All names of the person in lower case: the key, the email, the previous email. */
  readonly names: readonly string[];
  /** Whether the state has a resource of the person before the run. */
  readonly isManaged: boolean;
  readonly entries: readonly PlanEntry[];
  /** Of the entries. */
  readonly actions: readonly Action[];
  /** Why, if the actions do not say. */
  readonly reasons: readonly string[];
  readonly steps: readonly Step[];
  /** In a roster of several files, the one of the row; of a deleted row, the one at the last run. */
  readonly file?: RosterFile | undefined;
}

/** A resource that belongs to no member: a service account, a server, a table. */
export interface OtherResource {
  readonly step: Step;
  readonly entries: readonly PlanEntry[];
  readonly actions: readonly Action[];
  /** As for a member. */
  readonly reasons: readonly string[];
}

/**
 * Groups steps by member. A replaced user and the new user of the same key are two members, with different user ids; what
 * is left of the replaced one belongs to that one.
 * @param now milliseconds since 1970
 */
export function groupByMember(
  steps: readonly Step[],
  now: number,
): { members: PlannedMember[]; otherResources: OtherResource[] } {
  const current = currentUsers(steps);
  const placeOf = (step: Step): string => {
    const path = memberPath(step);
    const isOfReplaced =
      step.type !== "Delivered" && step.action === "delete" && !current.get(path)?.has(step.id);
    return isOfReplaced ? `${path} ${step.id}` : path;
  };
  const byMember = Map.groupBy(steps.filter(isOfMember), placeOf);
  return {
    members: [...byMember.values()].map((mine) => memberOf(mine, now)),
    otherResources: steps.filter((step) => !isOfMember(step)).map((step) => resourceOf(step, now)),
  };
}

function isOfMember({ type }: Step): boolean {
  return type === "Delivered" || MEMBERSHIP.has(type);
}

function resourceOf(step: Step, now: number): OtherResource {
  const entries = entriesOf(step, `${step.type} ${step.name}`, now);
  return { step, entries, actions: actionsIn(entries), reasons: reasonsOf(step, now) };
}

/** The ids of the users who have a key now, by place: that of the OrgUser; without one, those of the other resources. */
function currentUsers(steps: readonly Step[]): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const present = steps.filter(({ type, isReplaced }) => MEMBERSHIP.has(type) && !isReplaced);
  return new Map(
    [...Map.groupBy(present, memberPath)].map(([place, mine]) => {
      const user = mine.filter(({ type, id }) => type === "OrgUser" && id !== undefined);
      return [place, new Set((user.length > 0 ? user : mine).map(({ id }) => id))];
    }),
  );
}

function memberOf(steps: readonly Step[], now: number): PlannedMember {
  const [first] = steps;
  if (first === undefined) throw new InternalError("a member has at least one step");
  const label = labelOf(steps) ?? first.member;
  const entries = steps.flatMap((step) => entriesOf(step, label, now));
  return {
    key: first.member,
    label,
    names: namesOf(first.member, steps),
    stack: first.stack,
    userId: steps.find(({ type, id }) => MEMBERSHIP.has(type) && id !== undefined)?.id,
    isManaged: steps.some(({ action }) => action !== "create"),
    entries,
    actions: inOrder(actionsIn(entries)),
    reasons: steps.flatMap((step) => reasonsOf(step, now)),
    steps,
  };
}

export function inOrder(found: readonly Action[]): Action[] {
  return found.toSorted((a, b) => actionNames.indexOf(a) - actionNames.indexOf(b));
}

/** @param order the keys of the roster: members without a row come last, by name */
export function inRosterOrder<One extends Pick<Member, "key" | "label">>(
  members: readonly One[],
  order: readonly string[] = [],
): One[] {
  const ranks = new Map(order.map((key, rank) => [key, rank]));
  const rankOf = ({ key }: One): number => ranks.get(key) ?? order.length;
  return members.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || (a.label < b.label ? -1 : Number(a.label > b.label)),
  );
}

/** The email or purpose after the run, with the previous one if it differs. */
function labelOf(steps: readonly Step[]): string | undefined {
  const user = steps.find(({ type }) => type === "OrgUser");
  const next = user?.action === "delete" ? undefined : nameIn(user?.news);
  const before = nameIn(user?.olds);
  if (next === undefined || before === undefined || next === before) return next ?? before;
  return user?.action === "replace" ? `${next} (was ${before})` : before;
}

function namesOf(key: string, steps: readonly Step[]): string[] {
  const user = steps.find(({ type }) => type === "OrgUser");
  const said = [user?.news, user?.olds].flatMap((one) => [nameIn(one), textIn(one, "email")]);
  return [...new Set([key, ...said].flatMap((name) => (name === undefined ? [] : folded(name))))];
}

/** Adds names to the user ids in a text: the provider knows only the user id of a token that it removes. */
export function withNames(text: string, members: readonly Member[]): string {
  return text.replace(/(?<!\()\buser ([\w-]+)/g, (match, id: string) => {
    const known = members.find(({ userId }) => userId === id);
    return known === undefined ? match : `${known.label} (${match})`;
  });
}

/** The identity of a member: the same person in several stacks counts once. */
export function identityOf({ userId, label }: Member): string {
  return userId ?? label;
}
