/** A roster whose members a directory adds and removes (`membership: directory`): whom of it the service has. Pure. */
import { CONTRADICTION } from "../../provider/resources/members/rights.ts";
import type { ErrorCode } from "../../provider/util/error-codes.ts";
import { folded } from "../../provider/util/text.ts";
import { labelOf, type Roster, type RosterPerson } from "./roster.ts";

/** Someone whom a state has. */
interface Held {
  readonly key: string;
  readonly label: string;
  readonly userId: string;
  /** The declared one, and the spelling of the service. */
  readonly emails: readonly string[];
}

interface Listed {
  readonly id: string;
  /** Missing for a machine user without one. */
  readonly email?: string | null | undefined;
}

/** The people of a roster whom the service does not list. */
export interface Absent {
  /** No state has them, or no longer. */
  readonly pending: readonly { readonly key: string; readonly who: string }[];
  /** A state still has them, whether the roster does or not. */
  readonly gone: readonly { readonly key: string; readonly who: string; readonly userId: string }[];
}

/** A row that a run leaves as it is, with what the state has of the person. */
export interface StoppedRow {
  readonly key: string;
  readonly who: string;
  readonly place: string | undefined;
  /** Why, and what to do next. */
  readonly text: string;
  readonly code: ErrorCode;
}

interface Directory {
  readonly people: readonly RosterPerson[];
  readonly absent: Absent;
  readonly stopped: readonly StoppedRow[];
}

/** The listed users, and those whom the run keeps although the list lacks them. */
export function usersFor(
  held: readonly Held[],
  { users, kept }: { readonly users: readonly Listed[]; readonly kept: ReadonlySet<string> },
): readonly Listed[] {
  const left = held.filter(({ userId }) => kept.has(userId));
  return [...users, ...left.map(({ userId: id, emails: [email = ""] }) => ({ id, email }))];
}

/** The people about whom the answers of the service contradict each other. @param contradicted their user ids */
export function contradictedIn(
  held: readonly Held[],
  { people }: Pick<Roster, "people">,
  contradicted: ReadonlySet<string> = new Set(),
): StoppedRow[] {
  const places = new Map(people.map(({ key, place }) => [key, place]));
  return held.flatMap(({ key, label: who, userId }) => {
    if (!contradicted.has(userId)) return [];
    const text = `cannot tell whether ${who} (user ${userId}) is a member: ${CONTRADICTION}. Check the user in the service`;
    return { key, who, place: places.get(key), text, code: "incomplete-list" };
  });
}

const nobody = { absent: { pending: [], gone: [] }, stopped: [] } as const;

/**
 * The people whom a program declares, each with a user id, so that no run adds anyone. A row whose user is not clear stops
 * alone.
 * @param users whom the service lists; undefined if the command has not asked: then people stay as the states have them
 * @param isHiding whether the list has an item that may be anyone: then it proves no one gone
 */
export function inDirectory(
  { membership, people }: Pick<Roster, "membership" | "people">,
  held: readonly Held[],
  users: readonly Listed[] | undefined,
  isHiding = false,
): Directory {
  if (membership === undefined) return { people, ...nobody };
  const asHeld = heldOnly(held);
  const asListed = users === undefined ? asHeld : listedFirst(people, held, users);
  const find: Find = (person) => {
    const user = asListed(person);
    return isHiding && user.userId === undefined && user.candidates === undefined ? asHeld(person) : user;
  };
  const found = people.map((person) => ({ person, ...find(person) }));
  const shared = sharedUsers(found, held);
  const stopped = found.flatMap(({ person, candidates }) => {
    const text = candidates === undefined ? shared.get(person) : ambiguous(person, candidates);
    const { key, place } = person;
    return text === undefined
      ? []
      : { key, who: labelOf(person), place, text, code: "cannot-adopt" as const };
  });
  const isStopped = new Set(stopped.map(({ key }) => key));
  const open = found.filter(({ person }) => !isStopped.has(person.key));
  const declared = open.flatMap(({ person, userId }) => (userId === undefined ? [] : { ...person, userId }));
  if (users === undefined) return { ...nobody, people: declared, stopped };
  const there = new Set(users.map(({ id }) => id));
  const pending = open.flatMap(({ person, userId }) =>
    userId === undefined ? { key: person.key, who: labelOf(person) } : [],
  );
  const gone = held.flatMap(({ key, label: who, userId }) =>
    isHiding || there.has(userId) ? [] : { key, who, userId },
  );
  return { people: declared, absent: { pending, gone }, stopped };
}

/** The user of a row; neither if the service has none. */
interface Found {
  readonly userId?: string | undefined;
  /** Several, of whom nothing shows which is meant. */
  readonly candidates?: readonly Listed[];
}

type Find = (person: RosterPerson) => Found;

function heldOnly(held: readonly Held[]): Find {
  return (person) => ({ userId: heldAs(person, held)?.userId ?? person.userId });
}

/**
 * A person whose email has changed in the directory alone stays the same user, unless another row has the new email. A
 * `user_id` that has left counts no more, because the directory can add the same person again.
 */
function listedFirst(people: readonly RosterPerson[], held: readonly Held[], users: readonly Listed[]): Find {
  const byId = new Map(users.map((user) => [user.id, user]));
  const byEmail = Map.groupBy(users, ({ email }) => folded(email ?? ""));
  const declared = new Set(people.map(({ email }) => email));
  return (person) => {
    if (person.userId !== undefined && byId.has(person.userId)) return { userId: person.userId };
    const found = person.email === undefined ? [] : (byEmail.get(person.email) ?? []);
    const own = byId.get(heldAs(person, held)?.userId ?? "");
    if (found.length > 1 && (own === undefined || !found.includes(own))) return { candidates: found };
    // Whom the state has stays this person, even if someone else got the email.
    if (found.length > 0) return { userId: own?.id ?? found[0]?.id };
    return own !== undefined && !declared.has(folded(own.email ?? "")) ? { userId: own.id } : {};
  };
}

function heldAs({ key, email }: RosterPerson, held: readonly Held[]): Held | undefined {
  return held.find((one) => one.key === key && email !== undefined && one.emails.includes(email));
}

/** Of several rows with one user, those to whom the user does not belong: the state decides, otherwise `user_id`. */
function sharedUsers(
  found: readonly { readonly person: RosterPerson; readonly userId?: string | undefined }[],
  held: readonly Held[],
): ReadonlyMap<RosterPerson, string> {
  const texts = new Map<RosterPerson, string>();
  for (const [userId, rows] of Map.groupBy(found, (one) => one.userId)) {
    if (userId === undefined || rows.length < 2) continue;
    const isHeld = ({ key }: RosterPerson) => held.some((one) => one.key === key && one.userId === userId);
    const people = rows.map(({ person }) => person);
    const owner = people.find(isHeld) ?? people.find((person) => person.userId === userId);
    for (const person of people) if (person !== owner) texts.set(person, doubled(person, userId, people));
  }
  return texts;
}

function doubled({ place }: RosterPerson, userId: string, people: readonly RosterPerson[]): string {
  const others = people.flatMap((other) => (other.place === place ? [] : other.place));
  return `${place}: user ${userId} is also the user of ${others.join(", ")}. Correct the email or user_id of one of them`;
}

function ambiguous({ email, place }: RosterPerson, found: readonly Listed[]): string {
  return `${place}: the service lists several users with the email ${email}: ${found.map(({ id }) => id).join(", ")}. Write the right one into user_id`;
}
