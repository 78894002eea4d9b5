/** What the second model of a member knows before it decides: what lists show, marks, and dates. */
import { createHash } from "node:crypto";
import type { Held, HeldToken, HeldUser, Pending } from "../../../provider/member/held.ts";
import type * as Wants from "../../../provider/member/wanted.ts";

export interface Person extends Wants.MemberInputs {
  readonly token?: Wants.WantedToken | undefined;
  readonly directory?: true | undefined;
  readonly missing?: Wants.Missing | undefined;
}

export interface Question {
  readonly can: Wants.Can;
  readonly held: Held;
  readonly seen: Wants.Seen;
  readonly wanted: Person | Wants.WantedLeaver;
  readonly now: number;
}

/** A unit is a text of its steps: call, user, token or target, and on which condition; `~` is a change of the state. */
export interface Answer {
  readonly units: readonly string[];
  /** Reasons of refusals and waits: each holds, and one has to be told. */
  readonly stops: readonly string[];
}

const DAY = 86_400_000;
export const ms = (date: string) => Date.parse(date);
export const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;
/** A period in milliseconds; NaN for a date. */
export const periodOf = (text = "") => Number(/^(\d+)d$/.exec(text)?.[1] ?? Number.NaN) * DAY;
export const nameOf = ({ id, issuedAt }: HeldToken) => id ?? issuedAt;
export const endOf = ({ reportedEnd, declaredEnd }: HeldToken) => ms(reportedEnd ?? declaredEnd);
export const step = (...parts: readonly (string | number | false | undefined)[]) =>
  parts.filter(Boolean).join(" ");
export const unit = (...steps: readonly string[]) => (steps.length > 0 ? [steps.join(" + ")] : []);
export const revoke = (user: HeldUser, token: HeldToken) => step(9, user.id, nameOf(token));
export const say = (units: readonly string[], ...stops: readonly string[]): Answer => ({ units, stops });
const liveIn = (tokens: readonly Wants.SeenToken[] = []) => tokens.filter(({ isRevoked }) => !isRevoked);

export type Marks = Pick<Pending, "address" | "purpose" | "lastName">;
type Names = Pick<Wants.SeenUser, "email" | "firstName" | "lastName">;

/** A person is known by the address, a machine user by the names. */
export function marksOf(ref: string, { email, firstName, lastName }: Names): Marks {
  const of = (text: string | null | undefined) => {
    const hash = createHash("sha256").update(`${ref}\n${text?.toLowerCase()}`);
    return text ? hash.digest("base64url").slice(0, 16) : undefined;
  };
  return email ? { address: of(email) } : { purpose: of(firstName), lastName: of(lastName) };
}

export function isSame(one: Marks, other: Marks): boolean {
  if (one.address !== undefined) return one.address === other.address;
  return other.address === undefined && one.purpose === other.purpose && one.lastName === other.lastName;
}

/** The listed users that a request without an answer may have added. */
export function candidates({ ref, users, left = [], pending }: Held, { users: listed = [] }: Wants.Seen) {
  const known = [...users.map(({ id }) => id), ...left, ...(pending?.before ?? [])];
  return listed.filter((one) => pending && !known.includes(one.id) && isSame(pending, marksOf(ref, one)));
}

/** What is held once the lists are read. */
export function look({ held, seen }: Question): Held {
  const isGone = ({ id }: HeldUser) => seen.absent?.includes(id) === true;
  const users = held.users.filter((user) => !isGone(user)).map((user) => lookAtUser(user, seen));
  const left = [...(held.left ?? []), ...held.users.filter(isGone).map(({ id }) => id)];
  const { pending, ...rest } = held;
  const known = { ...held, users, left };
  if (pending === undefined || seen.users === undefined) return known;
  const found = candidates(known, seen);
  if (found.length > 1 || (found.length === 0 && (pending.late || seen.isHiding))) return known;
  return { ...rest, users: [...users, ...found.map((one) => ours(one, pending, pending.since))], left };
}

/** A user whom a request without an answer added. The values of its tokens are lost. */
export function ours(one: Wants.SeenUser, { address, purpose, lastName }: Marks, since: string): HeldUser {
  const tokens = liveIn(one.tokens).map(({ id, end = since }) => {
    return { id, adopted: false, issuedAt: since, declaredEnd: end, value: "lost" as const };
  });
  const has = { adopted: false, seat: one.hasSeat ? "held" : "none", seatAdopted: false, tokens } as const;
  return { id: one.id, address, purpose, lastName, role: one.role ?? "unknown", ...has };
}

function lookAtUser(user: HeldUser, { users, revoked = [] }: Wants.Seen): HeldUser {
  const gone = revoked.filter((one) => one.user === user.id).map(({ token }) => token);
  const own = user.tokens.filter(({ id = "", issuedAt }) => !gone.includes(id) && !gone.includes(issuedAt));
  const one = users?.find(({ id }) => id === user.id);
  if (one === undefined) return { ...user, tokens: own };
  const isOwn = user.seat !== "none" && user.seat !== "left";
  const seat = one.hasSeat === undefined ? user.seat : !one.hasSeat ? "none" : isOwn ? "held" : "left";
  const asked = user.asked?.what === "seat" && one.hasSeat === undefined ? user.asked : undefined;
  const { tokens: listed } = one;
  const tokens = listed ? own.flatMap((token) => lookAtToken(token, own, listed)) : own;
  const live = listed && tokens.length === 0 ? liveIn(listed).map(({ id, end }) => ({ id, end })) : [];
  const instead = own[0] ?? user.unmanaged?.instead;
  const found = instead && live.length > 0 ? { live, instead } : undefined;
  return {
    ...user,
    ...{ role: one.role ?? "unknown", seat, asked, tokens },
    unmanaged: listed ? found : user.unmanaged,
  };
}

function lookAtToken(token: HeldToken, own: HeldToken[], listed: readonly Wants.SeenToken[]): HeldToken[] {
  const known = [...(token.others ?? []), ...own.map(({ id }) => id)];
  const others = listed.filter(({ id }) => !known.includes(id));
  const free = liveIn(others);
  // Beside one that was revoked since, a live one can be the person's own: the lost one is over.
  const isOver = token.id === undefined && token.value === "lost" && token.others !== undefined;
  if (isOver && free.length < others.length) return [];
  const [only, ...more] = free.length > 1 ? free.filter(({ end = "" }) => ms(end) === endOf(token)) : free;
  const id = token.id ?? (more.length === 0 ? only?.id : undefined);
  const found = listed.find((one) => one.id === id);
  if (found === undefined)
    return token.id === undefined && free.length === 0 && (token.value === "lost" || others.length > 0)
      ? []
      : [token];
  if (found.isRevoked) return [];
  const asked = token.asked?.what === "revoke token" ? undefined : token.asked;
  return [{ ...token, id, reportedEnd: found.end ?? token.reportedEnd, asked }];
}

/** The tokens that the list shows, and the member does not hold. Undefined: unread. */
export function strangers(user: HeldUser | undefined, { users }: Wants.Seen) {
  const tokens = users?.find(({ id }) => id === user?.id)?.tokens;
  return tokens && liveIn(tokens).filter(({ id }) => user?.tokens.every((one) => one.id !== id));
}

/** The token that `adopt` names, without its value; or why none. */
export function adopted(one?: Wants.SeenUser, want: Wants.WantedToken = {}, now = ""): HeldToken[] | string {
  const { adopt, mark, recipients: sealedFor = [] } = want;
  const live = liveIn(one?.tokens);
  const found = adopt ? live.filter(({ id }) => adopt === true || adopt === id) : [];
  if (found.length > 1) return "tokenAmbiguous";
  if (one && typeof adopt === "string" && found.length === 0) return "tokenMissing";
  return found.map(({ id, end = now }) => {
    return { id, adopted: true, issuedAt: now, declaredEnd: end, mark, value: "none", sealedFor };
  });
}
