/** Guards: what a plan must not do. They look at the preview, so nothing has been written when one stops a run. */

import { people } from "../../../provider/util/plural.ts";
import type { Roster } from "../roster/roster.ts";
import { identityOf, type PlannedMember } from "./members.ts";
import { overrideError, overrideFor } from "./override.ts";
import { type Ownership, ownershipGuards, ownershipViolations } from "./ownership.ts";
import type { Plan } from "./plan.ts";
import { freeAfter } from "./seats.ts";

export const guardNames = [
  "organization",
  ...ownershipGuards,
  "empty roster",
  "short roster",
  "changed key",
  "protected",
  "service account",
  "removals",
  "seats",
] as const;

/** One reason why a run does not begin. */
export interface Violation {
  readonly guard: (typeof guardNames)[number];
  /** What is wrong and what to do, without names of people. */
  readonly text: string;
  /** The emails or purposes of those whom it is about. */
  readonly people: readonly string[];
  /** The same with what is wrong about each, where that differs: a line a person. */
  readonly details?: readonly string[] | undefined;
  /** What lets this exact plan pass, where anything does. */
  readonly override: string | undefined;
}

/** What the guards hold a plan against. */
export interface GuardContext {
  readonly roster: Roster | undefined;
  /** Undefined where a program of one's own says who is in the stack, or the command does not ask. */
  readonly ownership: Ownership | undefined;
  /** The organization that the configuration names, if it names one. */
  readonly configuredOrganization: string | undefined;
  /** The service account with which the run works. */
  readonly clientId: string | undefined;
  /** Keys or emails of people from whom nothing is taken. */
  readonly protected: readonly string[];
  /** The override that the caller gave. */
  readonly override: string | undefined;
  /** Whether the people who lose something were named one by one, so that their number is meant. */
  readonly namedOneByOne: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Share and number of people who may lose something in one run; so few are always allowed. */
const SHARE = 0.2;
const MOST = 25;
const ALWAYS = 3;

/** How many people may lose something, of so many. */
export function removalLimit(managed: number): number {
  return Math.max(ALWAYS, Math.min(MOST, Math.floor(managed * SHARE)));
}

/** Of a roster that is not the one of these stacks nothing else can be said: everybody would join and leave. */
const WITHOUT_FIGURES: ReadonlySet<Violation["guard"]> = new Set([
  "organization",
  "another roster",
  "other resources",
  "new stack",
  "empty roster",
]);

/** Whether the plan says what would happen, as far as the guards know. */
export function allowFigures(stops: readonly Violation[]): boolean {
  return !stops.some(({ guard }) => WITHOUT_FIGURES.has(guard));
}

/** Everything that keeps a plan from being applied; empty where nothing does. */
export function violationsOf(plan: Plan, limits: GuardContext): Violation[] {
  const first = [
    ...wrongOrganization(plan, limits),
    ...wrongOwner(plan, limits),
    ...suspiciousRoster(plan, limits),
  ];
  if (!allowFigures(first)) return first;
  return [
    ...first,
    ...changedKeys(plan),
    ...protectedPeople(plan, limits),
    ...accountInUse(plan, limits),
    ...tooManyRemovals(plan, limits),
    ...tooFewSeats(plan),
  ];
}

function violation(
  guard: Violation["guard"],
  text: string,
  about: readonly PlannedMember[] = [],
  override?: string,
): Violation {
  return { guard, text, people: about.map(({ label }) => label), override };
}

function wrongOrganization(
  { organizationId, organizations }: Plan,
  { configuredOrganization }: GuardContext,
): Violation[] {
  const found = new Set(organizations);
  if (configuredOrganization !== undefined) found.add(configuredOrganization);
  const others = [...found].filter((id) => id !== organizationId);
  if (others.length === 0) return [];
  return [
    violation(
      "organization",
      `the roster is about organization ${organizationId}, and the configuration or the state is about ${others.join(", ")}. Use the roster, the stacks and the credentials of one organization.`,
    ),
  ];
}

function wrongOwner(plan: Plan, { ownership, override, now }: GuardContext): Violation[] {
  if (ownership === undefined) return [];
  const { organizationId, removals } = plan;
  const isGiven =
    override !== undefined && overrideError(override, organizationId, removals, now) === undefined;
  return ownershipViolations(plan, ownership, { text: overrideFor(organizationId, removals, now), isGiven });
}

function isEmptied({ losingAccess }: Plan, { roster }: GuardContext): boolean {
  return roster !== undefined && roster.people.length === 0 && losingAccess.length > 0;
}

/** A file that was emptied or cut off is no decision about people: while it is like that it removes nobody. */
function suspiciousRoster(plan: Plan, limits: GuardContext): Violation[] {
  const { roster } = limits;
  if (roster === undefined) return [];
  const { losingAccess } = plan;
  const listed = roster.people.length;
  const stops: Violation[] = [];
  if (isEmptied(plan, limits)) {
    stops.push(
      violation(
        "empty roster",
        `${roster.file} lists nobody, and ${people(losingAccess.length)} would lose something. To take everybody out, run \`orgseat destroy\`.`,
      ),
    );
  }
  if (roster.rows !== undefined && roster.rows !== listed) {
    stops.push(
      violation(
        "short roster",
        `${roster.file} says that it lists ${people(roster.rows)} (rows), and lists ${listed}. If it was cut off, get the whole file; else correct \`rows\`.`,
      ),
    );
  }
  return stops;
}

/** A key names a person's resources for ever: with another one the person would join before leaving, and be refused. */
function changedKeys({ members }: Plan): Violation[] {
  const going = members.filter(({ steps }) =>
    steps.some(({ type, action, isReplaced }) => type === "OrgUser" && action === "delete" && !isReplaced),
  );
  const gone = new Map(going.map((member) => [member.label, member.key]));
  const back = members.filter(
    ({ label, key, actions }) =>
      actions.includes("join") && label.includes("@") && gone.has(label) && gone.get(label) !== key,
  );
  if (back.length === 0) return [];
  const told = violation(
    "changed key",
    `the key of ${people(back.length)} has changed. A key is for ever; write the old one back, and nothing happens to anybody.`,
    back,
  );
  const details = back.map(({ label, key }) => `${label} (now ${key}, was ${gone.get(label)})`);
  return [{ ...told, details }];
}

/** Nobody who is protected loses anything, in any number. */
export function protectedPeople({ losingAccess }: Plan, limits: GuardContext): Violation[] {
  // By the state too: a row that is lost takes its protection along.
  const isHeld = ({ steps }: PlannedMember): boolean => steps.some(({ isProtected }) => isProtected.before);
  const names = new Set(limits.protected.map((name) => name.toLowerCase()));
  const hit = losingAccess.filter((member) => isHeld(member) || member.names.some((name) => names.has(name)));
  if (hit.length === 0) return [];
  return [
    violation(
      "protected",
      `${people(hit.length)} would lose something and ${hit.length === 1 ? "is" : "are"} protected. Put the row back; or take the protection away first (\`protected: no\`), in a change of its own.`,
      hit,
    ),
  ];
}

function accountInUse({ otherResources }: Plan, { clientId }: GuardContext): Violation[] {
  const hit = otherResources.find(
    ({ step, actions }) => actions.includes("deleteAccount") && step.id === clientId,
  );
  if (clientId === undefined || hit === undefined) return [];
  return [
    violation(
      "service account",
      `the service account ${hit.step.name} (client id ${clientId}) would be deleted, and this run works with it. Configure another one first.`,
    ),
  ];
}

function tooManyRemovals(plan: Plan, { override, namedOneByOne, now }: GuardContext): Violation[] {
  const { losingAccess, managed, organizationId, removals } = plan;
  const limit = removalLimit(managed);
  const count = new Set(losingAccess.map(identityOf)).size;
  if (count <= limit || namedOneByOne) return [];
  const fault = override === undefined ? undefined : overrideError(override, organizationId, removals, now);
  if (override !== undefined && fault === undefined) return [];
  const pass = overrideFor(organizationId, removals, now);
  const explanation = `at most ${limit} of ${managed} may in one run (${SHARE * 100} %, at most ${MOST}; up to ${ALWAYS} always)`;
  const refused = fault === undefined ? "" : ` The override does not hold: ${fault}.`;
  return [
    violation(
      "removals",
      `${people(count)} would lose a token, a seat or the membership; ${explanation}.${refused} If exactly these people are meant, run again with --allow-removals ${pass}`,
      losingAccess,
      pass,
    ),
  ];
}

function tooFewSeats({ seats }: Plan): Violation[] {
  const free = freeAfter(seats);
  if (free === undefined || free >= 0 || seats.wanted === 0) return [];
  const { bought = 0, used, wanted, freed } = seats;
  return [
    violation(
      "seats",
      `seats run short by ${-free}: ${wanted} needed, ${Math.max(0, bought - used)} free of ${bought} (${seats.source}), ${freed} given back by this plan. Buy seats and correct \`seats\`, or give seats back.`,
    ),
  ];
}
