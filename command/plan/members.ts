/** The members of a plan: what a run does to each of them, and what its texts say. Pure. */

import type { Obstacle, Reason } from "../../provider/member/step.ts";
import { obstacleText } from "../../provider/member/texts.ts";
import { folded } from "../../provider/util/text.ts";
import { type Action, actionNames, stateOperation } from "../members/action-table.ts";
import { actionsIn, entriesOf, type PlanEntry } from "../members/entries.ts";
import type { MemberPlan } from "../members/plan.ts";
import type { RosterFile } from "../roster/roster.ts";

/** A person or a machine user. */
export interface Member {
  /** The key of the row. */
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
  /** Whether the state has the person before the run. */
  readonly isManaged: boolean;
  readonly entries: readonly PlanEntry[];
  /** Of the entries. */
  readonly actions: readonly Action[];
  /** Why, if the actions do not say. */
  readonly reasons: readonly string[];
  /** The steps that the command makes. */
  readonly steps: MemberPlan;
  /** In a roster of several files, the one of the row; of a deleted row, the one at the last run. */
  readonly file?: RosterFile | undefined;
}

/** @param steps those that the command makes */
export function plannedMember(steps: MemberPlan, stack: string, file?: RosterFile): PlannedMember {
  const { key, label, member, row } = steps;
  const entries = [...entriesOf(steps, stack), ...obstacleEntries(steps, stack)];
  const said = [key, row?.email, row?.purpose, member?.email, member?.purpose];
  const reasons = entries.flatMap(({ facts }) => facts.reasons ?? []);
  return {
    ...{ key, label, stack, entries, steps, file },
    names: [...new Set(said.flatMap((name) => (name === undefined ? [] : folded(name))))],
    userId: member?.userId ?? entries.find(({ id }) => id !== null)?.id ?? undefined,
    isManaged: member !== undefined && (member.held.users.length > 0 || member.held.pending !== undefined),
    actions: inOrder(actionsIn(entries)),
    reasons: [...new Set(reasons)],
  };
}

/** Guards and notices say the rest. */
const elsewhere: ReadonlySet<Reason> = new Set(["protected", "role", "notInDirectory"]);
const ofDates: Readonly<Partial<Record<Reason, Action>>> = {
  valuePast: "refuseToken",
  noDate: "refuseToken",
  datePast: "refuseExpiry",
};

/** What the plan cannot do, as an entry each, so that it is seen and approved. */
function obstacleEntries(member: MemberPlan, stack: string): PlanEntry[] {
  const { key, label: who, name, member: known, plan } = member;
  const all = [...plan.refused, ...plan.waits].filter(({ reason }) => !elsewhere.has(reason));
  return all.map((obstacle): PlanEntry => {
    const action = ofDates[obstacle.reason] ?? "undecided";
    return {
      ...{ stack, urn: known?.urn ?? name, type: "OrgMember", key, who, action },
      ...{ operation: stateOperation(action), id: known?.userId ?? null, unit: "", index: 0 },
      facts: { reasons: [textOf(obstacle, member)] },
    };
  });
}

/** Why something of a member is not done, and what to do. */
export function textOf(
  obstacle: Obstacle,
  { label, row, member }: Pick<MemberPlan, "label" | "row" | "member">,
): string {
  const isHeld = obstacle.reason === "protected" || obstacle.reason === "role";
  return obstacleText(obstacle, { who: isHeld ? (member?.label ?? label) : label, isRow: row !== undefined });
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

/** Adds names to the user ids in a text: the provider knows only the user id of a token that it removes. */
export function withNames(text: string, members: readonly Member[]): string {
  return text.replace(/(?<!\()\buser ([\w-]+)/g, (match, id: string) => {
    const known = members.find(({ userId }) => userId === id);
    return known === undefined ? match : `${known.label} (${match})`;
  });
}

/** The people of a roster whom the service does not list. */
export interface Absent {
  /** No state has them, or no longer. */
  readonly pending: readonly { readonly key: string; readonly who: string }[];
  /** A state still has them, whether the roster does or not. */
  readonly gone: readonly { readonly key: string; readonly who: string; readonly userId: string }[];
}

/** In the order of the plan. */
export function absentIn(members: readonly MemberPlan[]): Absent {
  return {
    pending: members.flatMap(({ key, row, label: who, plan }) =>
      row !== undefined && plan.waits.some(({ reason }) => reason === "notInDirectory") ? [{ key, who }] : [],
    ),
    gone: members.flatMap(({ key, member, observed }) => {
      const absent = new Set(observed.seen.absent);
      const users = observed.stored.users.filter(({ id }) => absent.has(id));
      return users.map(({ id: userId }) => ({ key, who: member?.label ?? key, userId }));
    }),
  };
}
