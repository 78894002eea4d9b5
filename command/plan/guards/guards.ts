/** Guards: rules that refuse a plan. They check the preview, so a refused run has written nothing. */
import { takesSomething } from "../../../provider/member/step.ts";
import { REMOVAL_BOUNDS, REMOVAL_SHARE, removalLimit } from "../../../provider/resources/members/removal.ts";
import { countedPeople, folded } from "../../../provider/util/text.ts";
import type { RosterPlan } from "../../members/plan.ts";
import type { Roster, RosterFacts } from "../../roster/roster.ts";
import { isEndedForAll } from "../access-ends.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { availableAfter } from "../seats.ts";
import {
  emptiedFiles,
  missedFiles,
  missingFiles,
  removalsPerFile,
  seatsPerFile,
  truncatedFiles,
} from "./file-guards.ts";
import { foreignKeys, unsealedTokens } from "./key-guards.ts";
import { type Approval, approvalOf } from "./override.ts";
import { type Ownership, ownershipViolations } from "./ownership.ts";
import {
  addressesInUse,
  administrators,
  besideTwins,
  existingMachineUsers,
  foreignUsers,
  missingUsers,
  type Twin,
} from "./user-guards.ts";
import { type Violation, violation } from "./violation.ts";

/** What the guards check a plan against. */
export interface GuardContext {
  readonly roster: Roster;
  /** Whether the rows of the roster decide who stays, and so must be all of them. */
  readonly rowsDecide: boolean;
  /** Undefined if the command does not check the owner. */
  readonly ownership: Ownership | undefined;
  /** The organization that the configuration names, if it names one. */
  readonly configuredOrganization: string | undefined;
  /** The rows whose address another member keeps. */
  readonly inUse: RosterPlan["inUse"];
  /** Machine users whom the plan creates, and who may exist already. Default: none. */
  readonly twins?: readonly Twin[] | undefined;
  /** Files that a run of this file alone would leave out, by name. Default: none. */
  readonly unreadFiles?: readonly string[] | undefined;
  /** What the state keeps of the roster. */
  readonly rosterFacts: readonly RosterFacts[];
  readonly protected: Protection;
  /** The value of `--approve`. */
  readonly override: string | undefined;
  /** Whether the caller named each person who loses access, so that the removal limit does not apply. */
  readonly namedOneByOne: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The people who must not lose anything, besides those whom the state protects. */
export interface Protection {
  /** Keys or emails, in any letter case. */
  readonly names: readonly string[];
  /** The keys of protected rows. */
  readonly keys: readonly string[];
}

export function isIn({ names, keys }: Protection, person: Pick<PlannedMember, "key" | "names">): boolean {
  return (
    keys.includes(person.key) ||
    names.some((name) => person.names.some((own) => folded(own) === folded(name)))
  );
}

/** Guards about the wrong roster: its plan would add and remove everyone, so its figures mean nothing. */
const WITHOUT_FIGURES: ReadonlySet<Violation["guard"]> = new Set([
  "wrong-organization",
  "another-roster",
  "other-resources",
  "new-stack",
  "empty-roster",
]);

/** Whether the figures of the plan mean anything, as far as the guards can tell. */
export function allowFigures(violations: readonly Violation[]): boolean {
  return !violations.some(({ guard }) => WITHOUT_FIGURES.has(guard));
}

/** All reasons against applying a plan; empty if there are none. */
export function violationsOf(plan: Plan, limits: GuardContext): Violation[] {
  const { twins = [], override, now } = limits;
  const removals = [...plan.removals, ...besideTwins(twins)];
  const approval = approvalOf(override, plan.organizationId, removals, now);
  const first = [
    ...wrongOrganization(plan, limits),
    ...(limits.ownership === undefined ? [] : ownershipViolations(plan, limits.ownership, approval)),
    ...endedRoster(plan, limits),
    ...suspiciousRoster(plan, limits),
  ];
  if (!allowFigures(first)) return first;
  return [
    ...first,
    ...addressesInUse(limits.inUse),
    ...foreignUsers(plan),
    ...missingUsers(plan),
    ...existingMachineUsers(plan, twins, approval),
    ...foreignKeys(plan, limits.rosterFacts),
    ...unsealedTokens(plan, limits.rosterFacts),
    ...protectedPeople(plan, limits),
    ...administrators(plan),
    ...tooManyRemovals(plan, limits, approval),
    ...tooFewSeats(plan),
    ...(limits.rowsDecide ? seatsPerFile(plan, limits.roster) : []),
  ];
}

function wrongOrganization(
  { organizationId, organizations }: Plan,
  { configuredOrganization }: GuardContext,
): Violation[] {
  const found = new Set(organizations);
  if (configuredOrganization !== undefined) found.add(configuredOrganization);
  const others = [...found].filter((id) => id !== organizationId);
  if (others.length === 0) return [];
  return violation(
    "wrong-organization",
    `the roster is for organization ${organizationId}, but the configuration or the state is for ${others.join(", ")}. Use the roster, the stack, and the credentials of the same organization.`,
  );
}

/** Dates that end the access of all people are probably an accident, as an empty file is. */
function endedRoster({ losingAccess }: Plan, { roster, namedOneByOne, now }: GuardContext): Violation[] {
  if (namedOneByOne || losingAccess.length === 0 || !isEndedForAll(roster.people, now)) return [];
  return violation(
    "empty-roster",
    `every \`access_until\` of the roster has passed, so ${countedPeople(losingAccess.length)} would lose access and no one would keep it. Correct the dates. To remove all people, run \`orgseat destroy\`.`,
  );
}

function suspiciousRoster(plan: Plan, { roster, rowsDecide, unreadFiles = [] }: GuardContext): Violation[] {
  if (!rowsDecide) return [];
  return [
    ...emptyRoster(plan, roster),
    ...truncatedFiles(roster),
    ...emptiedFiles(plan, roster),
    ...missedFiles(plan, roster, unreadFiles),
  ];
}

/** An empty file is probably an accident, so it must not remove anyone. */
function emptyRoster({ losingAccess }: Plan, { file, people }: Roster): Violation[] {
  if (people.length > 0 || losingAccess.length === 0) return [];
  return violation(
    "empty-roster",
    `${file} lists no people, so ${countedPeople(losingAccess.length)} would lose access. To remove all people, run \`orgseat destroy\`.`,
  );
}

/**
 * Protected people must not lose anything, whatever their number. By the state too: a removed row takes its protection with
 * it.
 */
export function protectedPeople({ members, losingAccess }: Plan, limits: GuardContext): Violation[] {
  const losing = new Set(losingAccess);
  const hit = members.filter(
    (member) =>
      member.steps.plan.refused.some(({ reason }) => reason === "protected") ||
      leavesProtected(member) ||
      (losing.has(member) && isIn(limits.protected, member)),
  );
  if (hit.length === 0) return [];
  return violation(
    "protected-person",
    `${countedPeople(hit.length)} would lose access or leave the stack but ${hit.length === 1 ? "is" : "are"} protected. Restore the rows or move \`access_until\`, or first remove the protection (\`protected: no\`) in a separate change.`,
    hit,
  );
}

/** Also if the membership is retained: the next run would not know that it is protected. */
function leavesProtected({ steps: { row, member, plan } }: PlannedMember): boolean {
  return row === undefined && member?.held.agreed.protected === true && plan.units.length > 0;
}

function tooManyRemovals(
  { losingAccess, managed }: Plan,
  { roster, namedOneByOne }: GuardContext,
  { pass, isGiven, refusal }: Approval,
): Violation[] {
  if (namedOneByOne || isGiven) return [];
  const most = roster.maxRemovals ?? Number.POSITIVE_INFINITY;
  const limit = Math.min(most, removalLimit(managed));
  const rule = limit === most ? "`max_removals`" : `${REMOVAL_SHARE}, ${REMOVAL_BOUNDS}`;
  const losing = losingAccess.filter((member) => !isRotatedOnly(member));
  const text = `removal limit exceeded: ${countedPeople(losing.length)} would lose a token, a seat, or the membership; the limit for one run is ${limit} of ${managed} (${rule}).`;
  const found = [
    ...removalsPerFile(losing, roster, pass),
    ...missingFiles(losing, roster, pass),
    ...(losing.length <= limit ? [] : violation("removal-limit", text, losing, pass)),
  ];
  return found.map((one) => ({ ...one, text: one.text + refusal }));
}

/** Whether the person loses nothing but the old value of a token, as the schedule says. */
function isRotatedOnly({ steps }: PlannedMember): boolean {
  const taking = steps.plan.units.filter((unit) => unit.steps.some(takesSomething));
  return taking.every((unit) =>
    unit.steps.some(({ cause, call }) => call === "issue token" && cause === "schedule"),
  );
}

function tooFewSeats({ seats }: Plan): Violation[] {
  const free = availableAfter(seats);
  if (free === undefined || free >= 0 || seats.wanted === 0) return [];
  const { purchased = 0, used, wanted, freed } = seats;
  return violation(
    "no-seats",
    `not enough seats: ${-free} more needed. The plan assigns ${wanted} and removes ${freed}; ${Math.max(0, purchased - used)} of ${purchased} (${seats.source}) are available. Buy seats and correct \`seats\` (in the roster, or ORGSEAT_SEATS), or remove seats.`,
  );
}
