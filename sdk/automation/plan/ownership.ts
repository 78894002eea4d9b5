/** Whether the stacks of a run are those of its roster: the guards that look at markers instead of numbers. */

import { people } from "../../../provider/util/plural.ts";
import type { RosterMarker } from "../roster/marker.ts";
import { formatOf } from "../roster/read.ts";
import type { RosterPerson } from "../roster/roster.ts";
import type { PlannedMember } from "./members.ts";
import type { Plan } from "./plan.ts";
import { isChange } from "./steps.ts";

/** The guards of this file. */
export const ownershipGuards = [
  "another roster",
  "other resources",
  "missing roster id",
  "nobody in common",
  "new stack",
] as const;
type OwnershipGuard = (typeof ownershipGuards)[number];

interface OwnershipStop {
  readonly guard: OwnershipGuard;
  readonly text: string;
  readonly people: readonly string[];
  readonly override: string | undefined;
}

/** What the preview of one stack told of its owner. */
export interface StackOwner {
  readonly stack: string;
  readonly markers: readonly RosterMarker[];
  /** Of resources that would be deleted and are not of orgseat. */
  readonly otherTypes: readonly string[];
  /** Whether the preview came to its end. */
  readonly isComplete: boolean;
}

/** What the stacks are held against. */
export interface Ownership {
  /** The roster's file, for the messages. */
  readonly file: string;
  /** The id in the file; undefined where it has none. */
  readonly headerId: string | undefined;
  /** What the file lists, whomever a command leaves out. */
  readonly listed: readonly RosterPerson[];
  readonly stacks: readonly StackOwner[];
  /** Whether stacks of another number of stacks are this roster's. */
  readonly isElsewhere: boolean;
  /** Whether the caller says that a roster with an id is applied to stacks that know nothing of it. */
  readonly newStack: boolean;
  /** Whether the people who lose something were named one by one. */
  readonly namedOneByOne: boolean;
}

/** The override of exactly this plan. */
export interface Override {
  readonly text: string;
  /** Whether the caller gave one that fits. */
  readonly isGiven: boolean;
}

/** The ids by which the states are marked before the run. */
export function idsInStates(stacks: readonly StackOwner[]): Set<string> {
  const markers = stacks.flatMap((stack) => stack.markers);
  return new Set(markers.flatMap(({ action, rosterId }) => (action === "create" ? [] : [rosterId])));
}

/**
 * The id under which the roster is applied: that of the file, else the one that the stacks have, else the new one.
 * @returns undefined where it is not certain, so that no stack gets a wrong one
 */
export function rosterIdFor(
  headerId: string | undefined,
  newId: string | undefined,
  stacks: readonly StackOwner[],
): string | undefined {
  if (headerId !== undefined || newId === undefined) return headerId;
  const [found, ...others] = idsInStates(stacks);
  if (others.length > 0) return undefined;
  return found ?? (stacks.every(({ isComplete }) => isComplete) ? newId : undefined);
}

/** What the next `up` does to the header of the roster, in words. @param rosterId as `rosterIdFor` has it */
export function rosterNoteFor(
  { file, id }: { readonly file: string; readonly id?: string | undefined },
  rosterId: string | undefined,
  stacks: readonly StackOwner[],
): string | undefined {
  if (id !== undefined || rosterId === undefined || !idsInStates(stacks).has(rosterId)) return undefined;
  return `${file} has no roster id: \`orgseat up\` adds that of its stacks (${headerLine(file, rosterId)}). Commit the line; without it no run takes anything away from anybody.`;
}

/** The line of a roster's header with its id, in the form of the file. */
export function headerLine(file: string, rosterId: string): string {
  const lines = {
    csv: `# roster: ${rosterId}`,
    yaml: `roster: ${rosterId}`,
    json: `"roster": "${rosterId}",`,
  };
  return lines[formatOf(file)];
}

export function ownershipViolations(plan: Plan, ownership: Ownership, override: Override): OwnershipStop[] {
  const stops = [...anotherRoster(ownership), ...otherResources(plan, ownership)];
  if (stops.length > 0) return stops;
  return [
    ...missingId(plan, ownership),
    ...nobodyInCommon(plan, ownership, override),
    ...newStack(plan, ownership),
  ];
}

/** Whether the guard says that a stack is somebody else's. */
export function isNotOurs(guard: string): boolean {
  return guard === "another roster" || guard === "other resources" || guard === "nobody in common";
}

function stop(guard: OwnershipGuard, text: string, about: readonly PlannedMember[] = []): OwnershipStop {
  return { guard, text, people: about.map(({ label }) => label), override: undefined };
}

function anotherRoster({ file, headerId, stacks }: Ownership): OwnershipStop[] {
  const known = headerId ?? [...idsInStates(stacks)][0];
  const others = stacks.filter((one) => [...idsInStates([one])].some((id) => id !== known));
  if (others.length === 0) return [];
  const names = namesOf(others);
  const ids = [...idsInStates(others)].filter((id) => id !== known).join(", ");
  const own =
    headerId === undefined ? `other stacks of this run to roster ${known}` : `${file} is roster ${known}`;
  return [
    stop(
      "another roster",
      `${names} ${others.length === 1 ? "belongs" : "belong"} to roster ${ids}, and ${own}. Run the command with the file of that roster, or give this one stacks of its own with --stack.`,
    ),
  ];
}

/** A stack of some other program, which has the name of one of ours. */
function otherResources({ otherResources: things }: Plan, { file, stacks }: Ownership): OwnershipStop[] {
  return stacks.flatMap(({ stack, otherTypes }) => {
    const gone = things.filter(({ step }) => step.stack === stack && step.action === "delete");
    const types = [...new Set([...otherTypes, ...gone.map(({ step }) => step.type)])];
    if (types.length === 0) return [];
    return stop(
      "other resources",
      `stack ${stack} has resources that no roster has (${types.slice(0, 5).join(", ")}), and the run would delete them. It belongs to another program: give the stacks of ${file} another name with --stack.`,
    );
  });
}

/** Without an id nobody knows whether the file is the list that the stacks were made from. */
function missingId({ steps }: Plan, { file, headerId, stacks, namedOneByOne }: Ownership): OwnershipStop[] {
  const [found] = idsInStates(stacks);
  if (headerId !== undefined || found === undefined || namedOneByOne) return [];
  if (!steps.some(({ action }) => action === "delete" || action === "replace")) return [];
  const marked = stacks.filter((one) => idsInStates([one]).size > 0);
  return [
    stop(
      "missing roster id",
      `${namesOf(marked)} ${marked.length === 1 ? "belongs" : "belong"} to roster ${found}, and ${file} has no id, so nothing is taken away from anybody. If ${file} is that list, add the line \`${headerLine(file, found)}\` to its header and commit it; if it is another list, give it stacks of its own with --stack.`,
    ),
  ];
}

function namesOf(stacks: readonly StackOwner[]): string {
  const names = stacks.map(({ stack }) => stack);
  return `${names.length === 1 ? "stack" : "stacks"} ${names.join(", ")}`;
}

/** Two lists without a single person in common are two lists, not a change. */
function nobodyInCommon(plan: Plan, ownership: Ownership, override: Override): OwnershipStop[] {
  const { file, listed, stacks, namedOneByOne } = ownership;
  if (namedOneByOne || override.isGiven) return [];
  const isInCommon = commonTo(listed);
  const managed = plan.members.filter(({ isManaged }) => isManaged);
  const comes = plan.members.some((member) => !member.isManaged);
  const isWhole = managed.length > 0 && !managed.some(isInCommon);
  if (isWhole && comes && plan.steps.some(isChange)) {
    const text = `none of the ${people(managed.length)} in the state is in ${file}, and nobody in ${file} is in the state. Check the file, the stack (--stack) and the backend (PULUMI_BACKEND_URL). If exactly these people are meant, run again with --allow-removals ${override.text}`;
    return [{ ...stop("nobody in common", text, managed), override: override.text }];
  }
  if (listed.length === 0) return [];
  return stacks.flatMap((one) => {
    const held = managed.filter(({ stack }) => stack === one.stack);
    const isOurs = one.markers.some(({ action }) => action !== "create") || held.some(isInCommon);
    if (isOurs || !held.some(({ steps }) => steps.some(isChange))) return [];
    return stop(
      "nobody in common",
      `stack ${one.stack} is not marked as a stack of ${file}, and none of its ${people(held.length)} is in ${file}. It belongs to something else: give the stacks of ${file} another name with --stack.`,
      held,
    );
  });
}

/** Whether somebody whom a state has stays, or is in the list under another key. */
function commonTo(listed: readonly RosterPerson[]): (member: PlannedMember) => boolean {
  const keys = new Set(listed.map(({ key }) => key));
  const names = new Set(listed.flatMap(({ email, userId }) => [email, userId?.toLowerCase()]));
  return ({ key, names: own, userId, steps }) =>
    keys.has(key) ||
    [...own, userId?.toLowerCase()].some((name) => name !== undefined && names.has(name)) ||
    steps.some(({ action }) => action !== "delete" && action !== "create");
}

/** A roster that was applied before is known to its stacks; where it is not, these are other ones. */
function newStack({ members }: Plan, ownership: Ownership): OwnershipStop[] {
  const { file, headerId, stacks, isElsewhere } = ownership;
  if (headerId === undefined || ownership.newStack || isElsewhere) return [];
  const isKnown = idsInStates(stacks).size > 0 || members.some(({ isManaged }) => isManaged);
  const isUncertain = stacks.some(({ isComplete, markers }) => !isComplete && markers.length === 0);
  const coming = members.filter(({ steps }) => steps.some(isChange));
  if (isKnown || isUncertain || coming.length === 0) return [];
  const [marker] = stacks.flatMap(({ markers }) => markers);
  const project = marker?.urn.split("::")[1] ?? "";
  return [
    stop(
      "new stack",
      `${file} was applied before (roster ${headerId}), and ${namesOf(stacks)} of project ${project} ${stacks.length === 1 ? "knows" : "know"} nothing of it: ${people(coming.length)} would join again. Check the project (Pulumi.yaml), the backend (PULUMI_BACKEND_URL) and --stack. If new stacks are meant, run again with --new-stack. If this file is a copy for another organization, remove the line \`${headerLine(file, headerId)}\`.`,
    ),
  ];
}
