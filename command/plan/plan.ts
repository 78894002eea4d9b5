/** The plan of a command: the members of a roster with the steps that the command makes, and what they cost. Pure. */
import { type Action, stateOperation } from "../members/action-table.ts";
import { actionsIn, type PlanEntry } from "../members/entries.ts";
import type { MemberPlan } from "../members/plan.ts";
import type { StateMarker } from "../members/state.ts";
import type { StateMember } from "../members/state-members.ts";
import type { RosterFacts, RosterFile } from "../roster/roster.ts";
import { removesAccess } from "./actions.ts";
import { inOrder, inRosterOrder, type PlannedMember, plannedMember } from "./members.ts";
import { type Seats, seatsOf } from "./seats.ts";

/** One removal, for the override of exactly these. */
export interface Removal {
  readonly id: string;
  readonly operation: string;
}

/** A change of what the state keeps of the whole roster. */
export interface SettingChange {
  /** The id of the roster. */
  readonly name: string;
  readonly entries: readonly PlanEntry[];
  readonly actions: readonly Action[];
  readonly reasons: readonly string[];
}

export interface Plan {
  readonly organizationId: string;
  /** In the order of the roster, those without a row last. */
  readonly members: readonly PlannedMember[];
  readonly settings: readonly SettingChange[];
  readonly entries: readonly PlanEntry[];
  /** The number of members whom the state has. */
  readonly managed: number;
  /** The members who lose a token, a seat, or the membership. */
  readonly losingAccess: readonly PlannedMember[];
  readonly removals: readonly Removal[];
  readonly seats: Seats;
  /** The ids of the organizations of the members in the state. */
  readonly organizations: readonly string[];
  /** Whether `up` has anything to do. */
  readonly hasChanges: boolean;
  /** False if the plan shows the wrong roster, so that its figures mean nothing. */
  readonly isComplete: boolean;
}

export interface PlanOptions {
  readonly organizationId: string;
  readonly stack: string;
  /** All members of the state. */
  readonly state: readonly StateMember[];
  readonly settings: readonly SettingChange[];
  /** The declared number of purchased seats. */
  readonly declaredSeats?: number | undefined;
  /** The ids of all users whom the service lists with a seat, if the command has read them. */
  readonly seatHolders?: ReadonlySet<string> | undefined;
  /** The keys of the roster. */
  readonly order?: readonly string[] | undefined;
  /** The file of a key, in a roster of several files. Default: none. */
  readonly fileOf?: ((key: string) => RosterFile | undefined) | undefined;
}

/** @param steps of each member, those that the command makes */
export function planOf(
  steps: readonly MemberPlan[],
  { organizationId, stack, state, settings, declaredSeats, seatHolders, order, fileOf }: PlanOptions,
): Plan {
  const all = steps.map((one) => plannedMember(one, stack, fileOf?.(one.key)));
  const members = inRosterOrder(all, order);
  const entries = [...members, ...settings].flatMap((one) => one.entries);
  const holding = state.filter(({ held }) => held.users.length > 0);
  return {
    ...{ organizationId, members, settings, entries },
    managed: holding.length,
    losingAccess: members.filter(({ actions }) => actions.some(removesAccess)),
    removals: members.flatMap(removalsOf),
    seats: seatsOf(members, state, declaredSeats, seatHolders),
    organizations: [...new Set(holding.map((one) => one.organizationId))],
    hasChanges: entries.length > 0 || members.some(({ steps: own }) => own.plan.units.length > 0),
    isComplete: true,
  };
}

function removalsOf({ entries, key }: PlannedMember): Removal[] {
  return entries
    .filter(({ action }) => removesAccess(action))
    .map(({ id, operation }) => ({ id: id ?? key, operation }));
}

/**
 * Changes of what the state keeps of a whole roster: they decide who can read tokens, so a plan shows them.
 * @param marker in the state; undefined of a stack that gets its marker, which had no settings
 */
export function settingChanges(
  stack: string,
  rosterId: string,
  marker: StateMarker | undefined,
  after: RosterFacts,
): SettingChange[] {
  const before = marker?.facts ?? {};
  const sealed = (facts: RosterFacts) => (facts.requireSealedTokens === true ? "true" : undefined);
  const isEnding = sealed(after) === undefined;
  const found = [
    ...change("changeMembership", "membership", before.membership, after.membership),
    ...change(
      isEnding ? "endSealing" : "requireSealing",
      "require_sealed_tokens",
      sealed(before),
      sealed(after),
    ),
  ];
  if (found.length === 0) return [];
  const entries = found.map(
    ({ action, text }): PlanEntry => ({
      ...{ stack, urn: marker?.urn ?? rosterId, type: "Roster", key: rosterId, who: `Roster ${rosterId}` },
      ...{ action, operation: stateOperation(action), id: marker?.rosterId ?? null, unit: "", index: 0 },
      facts: { reasons: [text] },
    }),
  );
  return [
    { name: rosterId, entries, actions: inOrder(actionsIn(entries)), reasons: found.map(({ text }) => text) },
  ];
}

function change(action: Action, name: string, before: string | undefined, after: string | undefined) {
  return before === after ? [] : [{ action, text: `${name} ${before ?? "none"} -> ${after ?? "none"}` }];
}
