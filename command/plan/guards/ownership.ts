/** The guards that check whether the stacks of a run belong to its roster. */
import { countedPeople } from "../../../provider/util/text.ts";
import { formatOf } from "../../roster/formats/roster-text.ts";
import type { RosterMarker, RosterPerson } from "../../roster/roster.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { isChange } from "../steps/steps.ts";
import { type Violation, violation } from "./violation.ts";

/** What the preview of one stack shows about its owner. */
export interface StackOwner {
  readonly stack: string;
  readonly markers: readonly RosterMarker[];
  /** The types of the resources that the run would delete and that orgseat does not manage. */
  readonly otherTypes: readonly string[];
  /** Whether the preview finished. */
  readonly isComplete: boolean;
}

/** What the stacks are checked against. */
export interface Ownership {
  /** The roster's file, for the messages. */
  readonly file: string;
  /** The id in the file; undefined if it has none. */
  readonly headerId: string | undefined;
  /** The people in the file, including those whom a command ignores. */
  readonly listed: readonly RosterPerson[];
  readonly stacks: readonly StackOwner[];
  /** Whether stacks from before a change of the number of stacks belong to this roster. */
  readonly isElsewhere: boolean;
  /** Whether the caller applies a roster with an id to stacks that do not have the id. */
  readonly newStack: boolean;
  /** Whether the caller named each person who loses access. */
  readonly namedOneByOne: boolean;
}

/** The override for exactly this plan. */
interface Override {
  readonly text: string;
  /** Whether the caller passed a valid one. */
  readonly isGiven: boolean;
}

/** The roster ids in the states before the run. */
export function idsInStates(stacks: readonly StackOwner[]): Set<string> {
  const markers = stacks.flatMap((stack) => stack.markers);
  return new Set(markers.flatMap(({ action, rosterId }) => (action === "create" ? [] : [rosterId])));
}

/**
 * The id under which the roster is applied: the one in the file, otherwise the one in the stacks, otherwise the new one.
 * @returns undefined if it is not certain, so that no stack gets a wrong one
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

/** A sentence about the change that the next `up` makes in the header of the roster. @param rosterId as `rosterIdFor` has it */
export function rosterNoteFor(
  { file, id }: { readonly file: string; readonly id?: string | undefined },
  rosterId: string | undefined,
  stacks: readonly StackOwner[],
): string | undefined {
  if (id !== undefined || rosterId === undefined || !idsInStates(stacks).has(rosterId)) return undefined;
  return `${file} has no roster id: \`orgseat up\` adds the id of its stacks (${headerLine(file, rosterId)}). Commit the line: without it no run removes anything.`;
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

export function ownershipViolations(plan: Plan, ownership: Ownership, override: Override): Violation[] {
  const violations = [...anotherRoster(ownership), ...otherResources(plan, ownership)];
  if (violations.length > 0) return violations;
  return [
    ...missingId(plan, ownership),
    ...unrelatedRoster(plan, ownership, override),
    ...newStack(plan, ownership),
  ];
}

/** Whether the guard finds that a stack belongs to another roster or program. */
export function isNotOurs(guard: string): boolean {
  return guard === "another-roster" || guard === "other-resources" || guard === "unrelated-roster";
}

function anotherRoster({ file, headerId, stacks }: Ownership): Violation[] {
  const known = headerId ?? [...idsInStates(stacks)][0];
  const others = stacks.filter((one) => [...idsInStates([one])].some((id) => id !== known));
  if (others.length === 0) return [];
  const names = namesOf(others);
  const ids = [...idsInStates(others)].filter((id) => id !== known).join(", ");
  const own =
    headerId === undefined
      ? `other stacks of this run belong to roster ${known}`
      : `${file} is roster ${known}`;
  return [
    violation(
      "another-roster",
      `${names} ${others.length === 1 ? "belongs" : "belong"} to roster ${ids}, but ${own}. Run the command with the file of that roster, or use other stacks for this one with --stack.`,
    ),
  ];
}

/** Finds stacks of another program that have the name of one of ours. */
function otherResources({ otherResources: planned }: Plan, { file, stacks }: Ownership): Violation[] {
  return stacks.flatMap(({ stack, otherTypes }) => {
    const deleted = planned.filter(({ step }) => step.stack === stack && step.action === "delete");
    const types = [...new Set([...otherTypes, ...deleted.map(({ step }) => step.type)])];
    if (types.length === 0) return [];
    return violation(
      "other-resources",
      `stack ${stack} has resources that no roster creates (${types.slice(0, 5).join(", ")}), and the run would delete them. The stack belongs to another program: use another name for the stacks of ${file} with --stack.`,
    );
  });
}

/** Without an id it is unknown whether the stacks were created from this file. */
function missingId({ steps }: Plan, { file, headerId, stacks, namedOneByOne }: Ownership): Violation[] {
  const [found] = idsInStates(stacks);
  if (headerId !== undefined || found === undefined || namedOneByOne) return [];
  if (!steps.some(({ action }) => action === "delete" || action === "replace")) return [];
  const marked = stacks.filter((one) => idsInStates([one]).size > 0);
  return [
    violation(
      "missing-roster-id",
      `${namesOf(marked)} ${marked.length === 1 ? "belongs" : "belong"} to roster ${found}, and ${file} has no id, so the run must not remove anything. If ${file} is that roster, add the line \`${headerLine(file, found)}\` to its header and commit it; otherwise use other stacks with --stack.`,
    ),
  ];
}

function namesOf(stacks: readonly StackOwner[]): string {
  const names = stacks.map(({ stack }) => stack);
  return `${names.length === 1 ? "stack" : "stacks"} ${names.join(", ")}`;
}

/** Two lists without a single person in common are two lists, not two versions of one. */
function unrelatedRoster(plan: Plan, ownership: Ownership, override: Override): Violation[] {
  const { file, listed, stacks, namedOneByOne } = ownership;
  if (namedOneByOne || override.isGiven) return [];
  const isInCommon = commonTo(listed);
  const managed = plan.members.filter(({ isManaged }) => isManaged);
  const hasNewcomers = plan.members.some((member) => !member.isManaged);
  const isWhole = managed.length > 0 && !managed.some(isInCommon);
  if (isWhole && hasNewcomers && plan.steps.some(isChange)) {
    const text = `${file} lists none of the ${countedPeople(managed.length)} in the state. Check the file, the stack (--stack), and the backend (PULUMI_BACKEND_URL).`;
    return [{ ...violation("unrelated-roster", text, managed), override: override.text }];
  }
  if (listed.length === 0) return [];
  return stacks.flatMap((one) => {
    const present = managed.filter(({ stack }) => stack === one.stack);
    const isOurs = one.markers.some(({ action }) => action !== "create") || present.some(isInCommon);
    if (isOurs || !present.some(({ steps }) => steps.some(isChange))) return [];
    return violation(
      "unrelated-roster",
      `stack ${one.stack} is not marked as a stack of ${file}, and none of its ${countedPeople(present.length)} is in ${file}. It belongs to another roster or program: use another name for the stacks of ${file} with --stack.`,
      present,
    );
  });
}

/** Whether a person in a state stays, or is in the list under another key. */
function commonTo(listed: readonly RosterPerson[]): (member: PlannedMember) => boolean {
  const keys = new Set(listed.map(({ key }) => key));
  const names = new Set(listed.flatMap(({ email, userId }) => [email, userId?.toLowerCase()]));
  return ({ key, names: own, userId, steps }) =>
    keys.has(key) ||
    [...own, userId?.toLowerCase()].some((name) => name !== undefined && names.has(name)) ||
    steps.some(({ action }) => action !== "delete" && action !== "create");
}

/** The stacks of a roster that was applied before know its id; stacks that do not are other stacks. */
function newStack({ members }: Plan, ownership: Ownership): Violation[] {
  const { file, headerId, stacks, isElsewhere } = ownership;
  if (headerId === undefined || ownership.newStack || isElsewhere) return [];
  const isKnown = idsInStates(stacks).size > 0 || members.some(({ isManaged }) => isManaged);
  const isUncertain = stacks.some(({ isComplete, markers }) => !isComplete && markers.length === 0);
  const coming = members.filter(({ steps }) => steps.some(isChange));
  if (isKnown || isUncertain || coming.length === 0) return [];
  const [marker] = stacks.flatMap(({ markers }) => markers);
  const project = marker?.urn.split("::")[1] ?? "";
  return [
    violation(
      "new-stack",
      `${file} was applied before (roster ${headerId}), but ${namesOf(stacks)} of project ${project} ${stacks.length === 1 ? "does" : "do"} not have this id: the run would add ${countedPeople(coming.length)} again. Check the project (Pulumi.yaml), the backend (PULUMI_BACKEND_URL), and --stack. If they are still members, run \`orgseat adopt --new-stack\`. To create new stacks for people who are not, run again with --new-stack. If this file is a copy for another organization, remove the line \`${headerLine(file, headerId)}\`.`,
    ),
  ];
}
