/** What lists and reads show, put into what is held. Unread is an answer of its own: it changes nothing. Pure. */
import { isDeepStrictEqual } from "node:util";
import { resolveOwn } from "../resources/members/absence.ts";
import { roleOf, UNKNOWN_ROLE } from "../resources/members/member-list.ts";
import {
  asOwn,
  type Held,
  type HeldToken,
  type HeldUser,
  markOf,
  nameOfToken,
  type Pending,
  REVOCATION,
} from "./held.ts";
import type { Seen, SeenToken, SeenUser } from "./wanted.ts";

/** A member as a plan sees it. */
export interface Observed {
  /** As the state has it. */
  readonly stored: Held;
  /** The same with what `seen` shows. */
  readonly held: Held;
  readonly seen: Seen;
}

export function observe(stored: Held, seen: Seen): Observed {
  const absent = new Set(seen.absent);
  const byId = new Map(seen.users?.map((user) => [user.id, user]));
  const gone = stored.users.filter(({ id }) => absent.has(id));
  const users = stored.users
    .filter(({ id }) => !absent.has(id))
    .map((user) => withoutRevoked(user, seen))
    .map((user) => observedUser(stored.ref, user, byId.get(user.id)));
  const held: Held = {
    ...stored,
    users,
    ...(gone.length > 0 && { left: leftWith(stored, gone) }),
  };
  return { stored, held: tidied(settledPending(withPending(held, seen), seen)), seen };
}

/** A plan that has read nothing. */
export function unread(stored: Held): Observed {
  return observe(stored, {});
}

/** A list that does not say a role decides, but is nothing to remember. */
export function isObserved({ stored, held }: Observed): boolean {
  const users = held.users.map((user) => {
    const { role } = stored.users.find(({ id }) => id === user.id) ?? {};
    return user.role === UNKNOWN_ROLE && role !== undefined ? { ...user, role } : user;
  });
  return !isDeepStrictEqual(stored, { ...held, users });
}

export function leftWith({ left = [] }: Held, users: readonly HeldUser[]): string[] {
  return [...new Set([...left, ...users.map(({ id }) => id)])];
}

/** The first user is current, so it is not `coming` any more if no other one is before it and nothing follows. */
export function tidied(held: Held): Held {
  const [first, ...others] = held.users;
  if (first?.coming !== true) return held;
  const { coming: _, ...user } = first;
  return { ...held, users: [user, ...others] };
}

function withoutRevoked(user: HeldUser, { revoked = [] }: Seen): HeldUser {
  const names = new Set(revoked.filter((one) => one.user === user.id).map(({ token }) => token));
  if (names.size === 0) return user;
  const tokens = user.tokens.filter((token) => !names.has(nameOfToken(token)) && !names.has(token.issuedAt));
  return tokens.length === user.tokens.length ? user : { ...user, tokens };
}

function observedUser(ref: string, user: HeldUser, seen: SeenUser | undefined): HeldUser {
  if (seen === undefined) return user;
  const listed = listedNames(ref, seen);
  const { listed: _before, asked, unmanaged, ...rest } = user;
  // A list that shows the user answers a removal without an answer; one that proves a seat or none, that of the seat.
  const isOpen = asked?.what === "seat" && seen.hasSeat === undefined;
  const tokens = seen.tokens === undefined ? user.tokens : observedTokens(user.tokens, seen.tokens);
  const found = seen.tokens === undefined ? unmanaged : unmanagedAmong(user, tokens, seen.tokens);
  return {
    ...rest,
    ...(isOpen && { asked }),
    ...(listed !== undefined && { listed }),
    role: roleOf(seen),
    seat: seatAfter(user, seen),
    tokens,
    ...(found !== undefined && { unmanaged: found }),
  };
}

/** Those that are live although the last own one has ended. */
function unmanagedAmong(
  { tokens: before, unmanaged }: HeldUser,
  after: readonly HeldToken[],
  listed: readonly SeenToken[],
): HeldUser["unmanaged"] {
  const live = listed.flatMap(({ id, end, isRevoked }) => (isRevoked === true ? [] : { id, end }));
  const instead = before[0] ?? unmanaged?.instead;
  return after.length > 0 || live.length === 0 || instead === undefined ? undefined : { live, instead };
}

/** The marks of names that a user has in the service. */
export function listedNames(
  ref: string,
  { firstName, lastName }: Pick<SeenUser, "firstName" | "lastName">,
): HeldUser["listed"] {
  const given = (name: string | null | undefined) =>
    typeof name === "string" && name.trim() !== "" ? markOf(ref, name) : undefined;
  const [first, last] = [given(firstName), given(lastName)];
  if (first === undefined && last === undefined) return undefined;
  return {
    ...(first !== undefined && { firstName: first }),
    ...(last !== undefined && { lastName: last }),
  };
}

/** The role by what was read: unknown if the list may hide the user. */
export function roleIn({ id, role }: HeldUser, { users, isHiding }: Seen): string | undefined {
  const isHidden = isHiding === true && users?.every((one) => one.id !== id) === true;
  return isHidden ? UNKNOWN_ROLE : role;
}

/** A retained seat stays one while the list shows it; so is a seat that someone else assigned. */
function seatAfter({ seat }: HeldUser, { hasSeat }: SeenUser): HeldUser["seat"] {
  if (hasSeat === undefined) return seat;
  if (!hasSeat) return "none";
  if (seat === "none") return "left";
  return seat === "left" ? "left" : "held";
}

/** Each token that the list proves revoked is gone; one that the list contradicts stays. */
function observedTokens(tokens: readonly HeldToken[], listed: readonly SeenToken[]): HeldToken[] {
  const known = new Set(tokens.flatMap(({ id }) => id ?? []));
  return tokens.flatMap((token) => {
    const rest = listed.filter(({ id }) => id === token.id || !known.has(id)).map(asListed);
    const found = resolveOwn(rest, asOwn(token));
    if ("gone" in found) return [];
    // A request without an answer made no token, unless the list shows one.
    if ("missing" in found) return token.id === undefined && token.value === "lost" ? [] : [token];
    return "token" in found ? [identified(token, found.token)] : [token];
  });
}

type ListedToken = Parameters<typeof resolveOwn>[0][number];

/** A token of a list, as plans have it. */
export function seenToken({ id, expires_at, revoked }: ListedToken): SeenToken {
  return { id, end: expires_at, isRevoked: revoked === true };
}

/** The same as the rules of absence have it. */
export function asListed({ id, end, isRevoked }: SeenToken): ListedToken {
  return { id, expires_at: end, revoked: isRevoked };
}

/** A listed token is not revoked, whatever was asked. */
function identified(
  token: HeldToken,
  { id, expires_at }: { readonly id: string; readonly expires_at?: string | undefined },
): HeldToken {
  const { others: _, asked, ...rest } = token;
  return {
    ...rest,
    id,
    ...(asked !== undefined && asked.what !== REVOCATION && { asked }),
    ...(expires_at !== undefined && { reportedEnd: expires_at }),
  };
}

/** The listed users whom a request without an answer may have made. */
export function candidatesOf(held: Held, pending: Pending, seen: Seen): SeenUser[] {
  const known = new Set([...held.users.map(({ id }) => id), ...(held.left ?? []), ...(pending.before ?? [])]);
  return (seen.users ?? []).filter((user) => !known.has(user.id) && isLike(held.ref, pending, user));
}

/** Whether a listed user has these marks: a person the address, a machine user the names. */
export function isLike(
  ref: string,
  marks: Pick<HeldUser, "address" | "purpose" | "lastName">,
  { email, firstName, lastName }: SeenUser,
): boolean {
  if (marks.address !== undefined) return typeof email === "string" && markOf(ref, email) === marks.address;
  if (marks.purpose === undefined) return false;
  const last = lastName?.trim() ? markOf(ref, lastName) : undefined;
  return markOf(ref, firstName ?? "") === marks.purpose && last === marks.lastName;
}

/** A user whom a creation of this member made. */
export function ownUser(
  ref: string,
  { id, role, hasSeat, tokens = [], ...names }: SeenUser,
  { address, purpose, lastName, since }: Pick<Pending, "address" | "purpose" | "lastName" | "since">,
): HeldUser {
  const listed = listedNames(ref, names);
  return {
    id,
    since,
    ...(address !== undefined && { address }),
    ...(purpose !== undefined && { purpose }),
    ...(lastName !== undefined && { lastName }),
    ...(listed !== undefined && { listed }),
    role: roleOf({ role }),
    adopted: false,
    seat: hasSeat === true ? "held" : "none",
    seatAdopted: false,
    tokens: tokens.filter(({ isRevoked }) => isRevoked !== true).map((token) => lostToken(token, since)),
  };
}

/** A token whose value an interrupted run has lost. */
function lostToken({ id, end }: SeenToken, since: string): HeldToken {
  return {
    id,
    adopted: false,
    issuedAt: since,
    declaredEnd: end ?? since,
    ...(end !== undefined && { reportedEnd: end }),
    value: "lost",
  };
}

function withPending(held: Held, { pending }: Seen): Held {
  if (pending === undefined || held.pending !== undefined) return held;
  if (held.users.some((user) => hasMarksOf(user, pending))) return held;
  return { ...held, pending };
}

type Marks = { readonly [mark in "address" | "purpose" | "lastName"]?: string | undefined };

/** Whether two have the same address or the same names. */
export function hasMarksOf(one: Marks, other: Marks): boolean {
  return (["address", "purpose", "lastName"] as const).every((mark) => one[mark] === other[mark]);
}

/** With a list, a creation without an answer is settled; not by one that lacks the user after a timeout, or may hide the user. */
function settledPending(held: Held, seen: Seen): Held {
  const { pending, ...rest } = held;
  if (pending === undefined || seen.users === undefined) return held;
  const found = candidatesOf(held, pending, seen);
  const [user] = found;
  if (user === undefined) return pending.late === true || seen.isHiding === true ? held : rest;
  if (found.length > 1) return held;
  const own = ownUser(held.ref, user, pending);
  const coming = held.users.length > 0 ? ({ coming: true } as const) : {};
  return { ...rest, users: [...held.users, { ...own, ...coming }] };
}
