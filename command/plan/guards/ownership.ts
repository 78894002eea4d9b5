/** The guards that check whether the stack of a run belongs to its roster. */
import { countedPeople } from "../../../provider/util/text.ts";
import { entriesOf, markersIn, type State } from "../../members/state.ts";
import { MEMBER_TYPE } from "../../members/state-members.ts";
import { formatOf } from "../../roster/formats/roster-text.ts";
import { MARKER_TYPE, type RosterPerson } from "../../roster/roster.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import type { Approval } from "./override.ts";
import { type Violation, violation } from "./violation.ts";

/** Who owns the stack of a run, by its state. */
export interface StackOwner {
  readonly stack: string;
  readonly project: string;
  /** The ids of the rosters whose marker the state has: normally one. */
  readonly rosterIds: readonly string[];
  /** The types of the resources that no roster creates. */
  readonly otherTypes: readonly string[];
}

/** By the state of the stack. */
export function ownerIn(stack: string, project: string, state: State | undefined): StackOwner {
  const types = state === undefined ? [] : entriesOf(state).map(({ type }) => type);
  const isOther = (type: string) =>
    type !== MEMBER_TYPE && type !== MARKER_TYPE && !type.startsWith("pulumi:");
  return {
    ...{ stack, project },
    rosterIds: [...new Set(markersIn(state).map(({ rosterId }) => rosterId))],
    otherTypes: [...new Set(types.filter(isOther))],
  };
}

/** What the stack is checked against. */
export interface Ownership {
  /** The roster's file, for the messages. */
  readonly file: string;
  /** The id in the file; undefined if it has none. */
  readonly headerId: string | undefined;
  /** The people in the file, including those whom a command ignores. */
  readonly listed: readonly RosterPerson[];
  readonly owner: StackOwner;
  /** Whether the caller applies a roster with an id to a stack that does not have the id. */
  readonly newStack: boolean;
  /** Whether the caller named each person who loses access. */
  readonly namedOneByOne: boolean;
}

/**
 * The id under which the roster is applied: the one in the file, otherwise the one in the state, otherwise the new one.
 * @returns undefined if it is not certain, so that the stack gets no wrong one
 */
export function rosterIdFor(
  headerId: string | undefined,
  newId: string,
  { rosterIds }: StackOwner,
): string | undefined {
  if (headerId !== undefined) return headerId;
  const [found, ...others] = rosterIds;
  return others.length > 0 ? undefined : (found ?? newId);
}

/** A sentence about the change that the next `up` makes in the header of the roster. @param rosterId as `rosterIdFor` has it */
export function rosterNoteFor(
  { file, id }: { readonly file: string; readonly id?: string | undefined },
  rosterId: string | undefined,
  { rosterIds }: StackOwner,
): string | undefined {
  if (id !== undefined || rosterId === undefined || !rosterIds.includes(rosterId)) return undefined;
  return `${file} has no roster id: \`orgseat up\` adds the id of its stack (${headerLine(file, rosterId)}). Commit the line: without it no run removes anything.`;
}

/** The header line with the roster id, in the format of the file. */
export function headerLine(file: string, rosterId: string): string {
  const lines = {
    csv: `# roster: ${rosterId}`,
    yaml: `roster: ${rosterId}`,
    json: `"roster": "${rosterId}",`,
  };
  return lines[formatOf(file)];
}

export function ownershipViolations(plan: Plan, ownership: Ownership, approval: Approval): Violation[] {
  const violations = [...anotherRoster(ownership), ...otherResources(ownership)];
  if (violations.length > 0) return violations;
  return [
    ...missingId(plan, ownership),
    ...unrelatedRoster(plan, ownership, approval),
    ...newStack(plan, ownership),
  ];
}

function anotherRoster({ file, headerId, owner }: Ownership): Violation[] {
  const { stack, rosterIds } = owner;
  const known = headerId ?? rosterIds[0];
  const others = rosterIds.filter((id) => id !== known);
  if (others.length === 0) return [];
  const own = headerId === undefined ? `it also belongs to roster ${known}` : `${file} is roster ${known}`;
  return violation(
    "another-roster",
    `stack ${stack} belongs to roster ${others.join(", ")}, but ${own}. Run the command with the file of that roster, or use another stack for this one with --stack.`,
  );
}

/** Finds the stack of another program that has the name of ours. */
function otherResources({ file, owner: { stack, otherTypes } }: Ownership): Violation[] {
  if (otherTypes.length === 0) return [];
  return violation(
    "other-resources",
    `stack ${stack} has resources that no roster creates (${otherTypes.slice(0, 5).join(", ")}). The stack belongs to another program: use another name for the stack of ${file} with --stack.`,
  );
}

/** Without an id it is unknown whether the stack was created from this file. */
function missingId({ losingAccess }: Plan, { file, headerId, owner, namedOneByOne }: Ownership): Violation[] {
  const { stack, rosterIds } = owner;
  const [found] = rosterIds;
  if (headerId !== undefined || found === undefined || namedOneByOne) return [];
  if (losingAccess.length === 0) return [];
  return violation(
    "missing-roster-id",
    `stack ${stack} belongs to roster ${found}, and ${file} has no id, so the run must not remove anything. If ${file} is that roster, add the line \`${headerLine(file, found)}\` to its header and commit it; otherwise use another stack with --stack.`,
  );
}

/** Two lists without a single person in common are two lists, not two versions of one. */
function unrelatedRoster(plan: Plan, ownership: Ownership, { pass, isGiven }: Approval): Violation[] {
  const { file, listed, owner, namedOneByOne } = ownership;
  if (namedOneByOne || isGiven || !plan.hasChanges) return [];
  const isInCommon = commonTo(listed);
  const managed = plan.members.filter(({ isManaged }) => isManaged);
  if (managed.length === 0 || managed.some(isInCommon)) return [];
  if (plan.members.some((member) => !member.isManaged)) {
    const text = `${file} lists none of the ${countedPeople(managed.length)} in the state. Check the file, the stack (--stack), and the backend (PULUMI_BACKEND_URL).`;
    return violation("unrelated-roster", text, managed, pass);
  }
  if (listed.length === 0 || owner.rosterIds.length > 0) return [];
  return violation(
    "unrelated-roster",
    `stack ${owner.stack} is not marked as the stack of ${file}, and none of its ${countedPeople(managed.length)} is in ${file}. It belongs to another roster or program: use another name for the stack of ${file} with --stack.`,
    managed,
  );
}

/** Whether a person in the state stays, or is in the list under another key. */
function commonTo(listed: readonly RosterPerson[]): (member: PlannedMember) => boolean {
  const keys = new Set(listed.map(({ key }) => key));
  const names = new Set(listed.flatMap(({ email, userId }) => [email, userId?.toLowerCase()]));
  return ({ key, names: own, userId, steps }) =>
    keys.has(key) ||
    steps.row !== undefined ||
    [...own, userId?.toLowerCase()].some((name) => name !== undefined && names.has(name));
}

/** The stack of a roster that was applied before knows its id; one that does not is another stack. */
function newStack({ members, hasChanges }: Plan, ownership: Ownership): Violation[] {
  const { file, headerId, owner } = ownership;
  if (headerId === undefined || ownership.newStack) return [];
  const isKnown = owner.rosterIds.length > 0 || members.some(({ isManaged }) => isManaged);
  const coming = members.filter(({ entries }) => entries.length > 0);
  if (isKnown || !hasChanges || coming.length === 0) return [];
  return violation(
    "new-stack",
    `${file} was applied before (roster ${headerId}), but stack ${owner.stack} of project ${owner.project} does not have this id: the run would add ${countedPeople(coming.length)} again. Check the project (Pulumi.yaml), the backend (PULUMI_BACKEND_URL), and --stack. If they are still members, run \`orgseat adopt --new-stack\`. To create a new stack for people who are not, run again with --new-stack. If this file is a copy for another organization, remove the line \`${headerLine(file, headerId)}\`.`,
  );
}
