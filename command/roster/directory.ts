/** A roster whose members a directory adds and removes (`membership: directory`): whom of it the service has. Pure. */
import { CodedError } from "../../provider/util/error-codes.ts";
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

const nobody: Absent = { pending: [], gone: [] };

/**
 * The people whom a program declares, each with a user id, so that no run adds anyone.
 * @param users whom the service lists; undefined if the command has not asked: then people stay as the states have them
 * @param isHiding whether the list has an item that may be anyone: then it proves no one gone
 */
export function inDirectory(
  { membership, people }: Pick<Roster, "membership" | "people">,
  held: readonly Held[],
  users: readonly Listed[] | undefined,
  isHiding = false,
): { readonly people: readonly RosterPerson[]; readonly absent: Absent } {
  if (membership === undefined) return { people, absent: nobody };
  const asHeld = heldOnly(held);
  const asListed = users === undefined ? asHeld : listedFirst(people, held, users);
  const find: Find = (person) => asListed(person) ?? (isHiding ? asHeld(person) : undefined);
  const found = people.map((person) => ({ person, userId: find(person) }));
  const declared = found.flatMap(({ person, userId }) => (userId === undefined ? [] : { ...person, userId }));
  if (users === undefined) return { people: declared, absent: nobody };
  const there = new Set(users.map(({ id }) => id));
  const pending = found.flatMap(({ person, userId }) =>
    userId === undefined ? { key: person.key, who: labelOf(person) } : [],
  );
  const gone = held.flatMap(({ key, label: who, userId }) =>
    isHiding || there.has(userId) ? [] : { key, who, userId },
  );
  return { people: declared, absent: { pending, gone } };
}

type Find = (person: RosterPerson) => string | undefined;

function heldOnly(held: readonly Held[]): Find {
  return (person) => heldAs(person, held)?.userId ?? person.userId;
}

/**
 * A person whose email has changed in the directory alone stays the same user, unless another row has the new email. A
 * `user_id` that has left counts no more, because the directory can add the same person again.
 */
function listedFirst(people: readonly RosterPerson[], held: readonly Held[], users: readonly Listed[]): Find {
  const byId = new Map(users.map((user) => [user.id, user]));
  const byEmail = Map.groupBy(users, ({ email }) => email?.toLowerCase());
  const declared = new Set(people.map(({ email }) => email));
  return (person) => {
    if (person.userId !== undefined && byId.has(person.userId)) return person.userId;
    const found = person.email === undefined ? [] : (byEmail.get(person.email) ?? []);
    const own = byId.get(heldAs(person, held)?.userId ?? "");
    if (found.length > 1 && (own === undefined || !found.includes(own))) throw ambiguous(person, found);
    // Whom the state has stays this person, even if someone else got the email.
    if (found.length > 0) return own?.id ?? found[0]?.id;
    return own !== undefined && !declared.has(own.email?.toLowerCase()) ? own.id : undefined;
  };
}

function heldAs({ key, email }: RosterPerson, held: readonly Held[]): Held | undefined {
  return held.find((one) => one.key === key && email !== undefined && one.emails.includes(email));
}

function ambiguous({ email, place }: RosterPerson, found: readonly Listed[]): Error {
  return new CodedError(
    "cannot-adopt",
    `${place}: the service lists several users with the email ${email}: ${found.map(({ id }) => id).join(", ")}. Write the right one into user_id`,
  );
}
