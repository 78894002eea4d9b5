/** What the guards check a plan of an organization against. */

import { entriesOf, markersIn, type State } from "../members/state.ts";
import { MEMBER_TYPE, type StateMember } from "../members/state-members.ts";
import { isEndedForAll } from "../plan/access-ends.ts";
import type { GuardContext, Protection } from "../plan/guards/guards.ts";
import type { StackOwner } from "../plan/guards/ownership.ts";
import { unreadFiles } from "../roster/facts.ts";
import { headFileOf, labelOf, MARKER_TYPE, type RosterFacts } from "../roster/roster.ts";
import { type Declaration, type Organization, protectionOf } from "../stacks/organization.ts";
import type { PlanChoice } from "./choice.ts";
import { requireKnown } from "./resolve-members.ts";

interface Planned extends Pick<GuardContext, "inUse" | "twins"> {
  readonly options: { readonly approve?: string | undefined; readonly newStack?: boolean | undefined };
  readonly choice: PlanChoice;
  readonly owner: StackOwner;
  readonly members: readonly StateMember[];
  /** What the state keeps of rosters. */
  readonly facts: readonly RosterFacts[];
}

export function guardContextOf(organization: Organization, planned: Planned): GuardContext {
  const { file, roster, listed, settings, openedAt } = organization;
  const { options, choice, owner, members, facts, inUse, twins } = planned;
  const { rowsDecide = true, ownership: isOwnerChecked = true, namedOneByOne = false } = choice;
  const { approve, newStack = false } = options;
  const ownership = {
    ...{ file: headFileOf(roster), headerId: roster.id, listed, owner, newStack, namedOneByOne },
  };
  return {
    ...{ roster, rowsDecide, inUse, twins, rosterFacts: facts, override: approve, namedOneByOne },
    allEnded: !namedOneByOne && isEndedForAll(roster.people, openedAt),
    ownership: isOwnerChecked ? ownership : undefined,
    configuredOrganization: settings.organizationId,
    unreadFiles: unreadFiles(roster, file, facts),
    protected: knownProtected(organization, members),
    now: openedAt,
  };
}

/** By the state of the stack. */
export function ownerIn({ stack, engine }: Organization, state: State | undefined): StackOwner {
  const types = state === undefined ? [] : entriesOf(state).map(({ type }) => type);
  const isOther = (type: string) =>
    type !== MEMBER_TYPE && type !== MARKER_TYPE && !type.startsWith("pulumi:");
  return {
    stack,
    project: engine.target?.project ?? "",
    rosterIds: [...new Set(markersIn(state).map(({ rosterId }) => rosterId))],
    otherTypes: [...new Set(types.filter(isOther))],
  };
}

/** @throws for a name in `neverRemove` that is unknown: a misspelt protection would protect no one */
function knownProtected(declaration: Declaration, members: readonly StateMember[]): Protection {
  const { roster, listed, neverRemove } = declaration;
  const rows = listed.map((person) => ({ key: person.key, label: labelOf(person) }));
  requireKnown(
    neverRemove,
    [...rows, ...members.map(({ key, label }) => ({ key, label }))],
    `${roster.file} or in the state, and cannot be protected`,
  );
  return protectionOf(declaration);
}
