/** Steps, gathered by the person whom they are about. */
import { type Action, actionNames, removesAccess } from "./actions.ts";
import { actionsOf } from "./actions-of-step.ts";
import type { Properties, ResourceType, Step } from "./steps.ts";

const MEMBERSHIP: ReadonlySet<ResourceType> = new Set(["OrgUser", "SeatAssignment", "UserToken"]);

/** One member in a plan: a person, or a managed user. */
export interface PlannedMember {
  /** The name of the member in the program: the roster's key. */
  readonly key: string;
  /** The email, else the purpose of the token, with the one of before where it changes. */
  readonly label: string;
  /** Whatever names the person, in lower case: the key, the email, the email of before. */
  readonly names: readonly string[];
  readonly stack: string;
  /** Undefined for whoever is not a member yet. */
  readonly userId: string | undefined;
  /** Whether the state has anything of the person before the run. */
  readonly isManaged: boolean;
  readonly actions: readonly Action[];
  readonly steps: readonly Step[];
}

/** Whatever else a program manages: service accounts, servers, tables. */
export interface OtherResource {
  readonly step: Step;
  readonly actions: readonly Action[];
}

/**
 * Whoever was replaced under a key is another one than whoever has the key now: told apart by the user id.
 * @param now milliseconds since 1970
 */
export function groupByMember(
  steps: readonly Step[],
  now: number,
): { members: PlannedMember[]; things: OtherResource[] } {
  const byMember = new Map<string, Step[]>();
  const things: OtherResource[] = [];
  const placeOf = ({ stack, member }: Step): string => `${stack}/${member}`;
  const own = new Set(steps.flatMap((step) => (step.isReplaced ? [] : [`${placeOf(step)} ${step.id}`])));
  for (const step of steps) {
    if (!MEMBERSHIP.has(step.type)) {
      things.push({ step, actions: actionsOf(step, now) });
      continue;
    }
    const person = `${placeOf(step)} ${step.id}`;
    const place = step.isReplaced && !own.has(person) ? person : placeOf(step);
    const others = byMember.get(place);
    if (others) others.push(step);
    else byMember.set(place, [step]);
  }
  return { members: [...byMember.values()].map((mine) => memberOf(mine, now)), things };
}

function memberOf(steps: readonly Step[], now: number): PlannedMember {
  const [first] = steps;
  if (first === undefined) throw new Error("a member has at least one step");
  return {
    key: first.member,
    label: labelOf(steps) ?? first.member,
    names: namesOf(first.member, steps),
    stack: first.stack,
    userId: steps.find(({ id }) => id !== undefined)?.id,
    isManaged: steps.some(({ action }) => action !== "create"),
    actions: inOrder(steps.flatMap((step) => actionsOf(step, now))),
    steps,
  };
}

function inOrder(found: readonly Action[]): Action[] {
  return found.toSorted((a, b) => actionNames.indexOf(a) - actionNames.indexOf(b));
}

/** Who it is, in the person's own words: what shall be, and what was where that is another. */
function labelOf(steps: readonly Step[]): string | undefined {
  const user = steps.find(({ type }) => type === "OrgUser");
  const next = user?.action === "delete" ? undefined : nameIn(user?.news);
  const before = nameIn(user?.olds);
  if (next === undefined || before === undefined || next === before) return next ?? before;
  return user?.action === "replace" ? `${next} (was ${before})` : before;
}

function namesOf(key: string, steps: readonly Step[]): string[] {
  const user = steps.find(({ type }) => type === "OrgUser");
  return [key, nameIn(user?.news), nameIn(user?.olds)].flatMap((name) => name?.toLowerCase() ?? []);
}

function nameIn({ email, firstName, lastName }: Properties = {}): string | undefined {
  if (typeof email === "string") return email;
  const names = [firstName, lastName].filter((name) => typeof name === "string");
  return names.length === 0 ? undefined : names.join(" ");
}

/** Whoever loses a token, a seat or the membership. */
export function membersLosingAccess(members: readonly PlannedMember[]): PlannedMember[] {
  return members.filter(({ actions }) => actions.some(removesAccess));
}

/** Puts names to the user ids of a text: whoever removes a token by its state alone knows no more of its person. */
export function withNames(text: string, members: readonly PlannedMember[]): string {
  return text.replace(/(?<!\()\buser ([\w-]+)/g, (said, id: string) => {
    const known = members.find(({ userId }) => userId === id);
    return known === undefined ? said : `${known.label} (${said})`;
  });
}

/** One person may be a member of several stacks of a program, and is one all the same. */
export function identityOf({ userId, label }: PlannedMember): string {
  return userId ?? label;
}
