/** Random members for the second model: what is held, what lists show, and what is wanted. */
import {
  type Agreed,
  type Held,
  type HeldToken,
  type HeldUser,
  markOf,
  type Pending,
  REVOCATION,
} from "../../../provider/member/held.ts";
import type { Missing, Seen, SeenToken, SeenUser, WantedLeaver } from "../../../provider/member/wanted.ts";
import { ADA, LOVELACE, NOW, REF, SUBSCRIPTION } from "./people.ts";
import type { PlatformName } from "./run.ts";
import { iso, ms, type Person, periodOf } from "./second-view.ts";

export interface Drawn {
  readonly platform: PlatformName;
  readonly held: Held;
  readonly seen: Seen;
  readonly wanted: Person | WantedLeaver;
}

export const EARLIER = "2027-03-01T23:59:59Z";
export const PAST = "2026-11-01T23:59:59Z";
const LATER = "2028-06-30T23:59:59Z";
const BYRON = "byron@acme.example";

/** One of the values, each as likely as it is often among them. */
type Pick = <T>(first: T, ...others: readonly T[]) => T;

/** The value in one of so many cases. */
function seldom<T>(pick: Pick, many: number, value: T): T | undefined {
  return pick<T | undefined>(undefined, ...Array<undefined>(many - 2).fill(undefined), value);
}

interface Who {
  readonly email?: string;
  readonly purpose?: string;
  readonly lastName?: string;
}

const ada: Who = { email: ADA };
const lovelace: Who = { email: LOVELACE };
const builds: Who = { purpose: "Builds" };
const nightly: Who = { purpose: "Nightly", lastName: "Tests" };

function marks({ email, purpose, lastName }: Who) {
  return {
    ...(email !== undefined && { address: markOf(REF, email) }),
    ...(purpose !== undefined && { purpose: markOf(REF, purpose) }),
    ...(lastName !== undefined && { lastName: markOf(REF, lastName) }),
  };
}

function tokenOf(pick: Pick, platform: PlatformName, name: string): HeldToken {
  const value = pick("kept", "kept", "sealed", "lost", "none", "none");
  const isNamed = platform === "anaconda" && pick(true, true, true, true, true, true, false);
  const declared = pick(SUBSCRIPTION, SUBSCRIPTION, SUBSCRIPTION, EARLIER, PAST);
  const asked = pick(
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    { what: REVOCATION, at: NOW },
    { what: SUBSCRIPTION, at: pick("2026-11-20T00:00:00Z", "2025-01-01T00:00:00Z") },
    { what: "90d", at: pick("2026-11-20T00:00:00Z", "2026-09-20T00:00:00Z") },
  );
  const end = asked?.what === "90d" ? iso(ms(asked.at) + periodOf(asked.what)) : declared;
  const reportedEnd = asked?.what === SUBSCRIPTION ? EARLIER : pick(undefined, end, end, EARLIER);
  const mark = pick(undefined, undefined, "1");
  return {
    ...(isNamed ? { id: name } : platform === "anaconda" && { others: pick([], ["t-0"]) }),
    adopted: value === "none" && pick(false, true),
    issuedAt: pick("2024-01-01T00:00:00Z", "2026-08-01T08:00:00Z", "2026-11-27T11:59:00Z"),
    declaredEnd: end,
    ...(reportedEnd && { reportedEnd }),
    ...(mark && { mark }),
    value,
    ...(value === "sealed" && { sealedFor: ["age1a"] }),
    ...(asked && { asked }),
  };
}

function tokensOf(pick: Pick, platform: PlatformName, name: string): HeldToken[] {
  const count = pick(1, 1, 1, 0, ...(platform === "anaconda" ? [0, 2, 2] : []));
  const [current, earlier] = [tokenOf(pick, platform, name), tokenOf(pick, platform, `${name}e`)];
  if (count < 2) return count === 0 ? [] : [current];
  const endsAfter = pick(undefined, PAST, PAST, EARLIER, EARLIER);
  return [current, { ...earlier, id: `${name}e`, ...(endsAfter && { endsAfter }) }];
}

function instead(pick: Pick): HeldToken {
  const ended = tokenOf(pick, "anaconda", "t-6");
  return pick(true, false) ? ended : { ...ended, endsAfter: PAST };
}

function userOf(pick: Pick, platform: PlatformName, id: string, who: Who): HeldUser {
  const adopted = pick(false, false, true);
  const seat = pick("held", "held", "held", "none", "none", "left", "unconfirmed", "unknown");
  const role = pick("member", "member", "member", "member", undefined, "admin");
  const isAsked = seldom(pick, 12, true);
  const listed = { firstName: markOf(REF, "Ada"), lastName: markOf(REF, "Lovelace") };
  const tokens = isAsked ? [] : tokensOf(pick, platform, id.replace("u", "t"));
  const isOwn = platform === "anaconda" && tokens.length === 0 && pick(true, true, true, false);
  return {
    id,
    ...marks(who),
    ...(pick(true, false) && { since: PAST, seatSince: PAST, listed }),
    ...(platform === "anaconda" && role && { role }),
    adopted,
    seat: isAsked ? "none" : seat,
    seatAdopted: adopted && pick(true, false),
    tokens,
    ...(isOwn && { unmanaged: { live: [{ id: "t-7", end: pick(LATER, PAST) }], instead: instead(pick) } }),
    ...(isAsked
      ? { asked: { what: "user", at: NOW } }
      : seat === "unknown" && { asked: { what: "seat", at: NOW } }),
  };
}

function agreedOf(pick: Pick, platform: PlatformName): Agreed {
  const often = <T>(value: T) => seldom(pick, 6, value);
  const onDelete = pick(
    undefined,
    undefined,
    { user: "retain", seat: "retain" } as const,
    { user: "retain", seat: "retain" } as const,
    { user: "delete", seat: "delete" } as const,
    { user: pick("retain", "delete"), seat: pick("retain", "delete") } as const,
  );
  const isListing = platform === "anaconda";
  return clean({
    onDelete,
    allowAdminRemoval: isListing ? often(true) : undefined,
    protected: seldom(pick, 10, true),
    directory: seldom(pick, 10, true),
    leaving: seldom(pick, 10, true),
    accessUntil: often("2027-06-01T23:59:59Z"),
    expiresAt: pick(undefined, undefined, undefined, EARLIER, "90d"),
    renewBefore: often("30d"),
    tolerance: isListing ? often(1) : undefined,
    rotateEvery: pick(undefined, "90d", "90d"),
    keepPreviousFor: isListing ? often("7d") : undefined,
    subscriptionExpiresAt: SUBSCRIPTION,
    names: often("names"),
    team: often("Engines"),
  });
}

/** The same without fields that are undefined. */
function clean<T extends object>(value: T): T {
  for (const key of Object.keys(value) as (keyof T)[]) if (value[key] === undefined) delete value[key];
  return value;
}

function heldOf(pick: Pick, platform: PlatformName): { held: Held; who: readonly Who[] } {
  const isMachine = pick(false, false, false, true);
  const [first, second] = isMachine ? [builds, nightly] : [ada, lovelace];
  const count = pick(1, 1, 1, 1, 1, 2, 2, 0, 0);
  const users = [
    userOf(pick, platform, "u-1", first),
    { ...userOf(pick, platform, "u-2", second), ...(pick(true, false) && { coming: true as const }) },
  ].slice(0, count);
  const pending =
    count < 2 && pick(false, false, false, true) ? pendingOf(pick, platform, pick(first, second)) : undefined;
  const key = pick(undefined, undefined, "ada");
  const agreed = agreedOf(pick, platform);
  const held: Held = {
    ref: REF,
    ...(key && { key }),
    users,
    ...(pending && { pending }),
    ...(pick(false, false, false, true) && { left: [pick("u-0", "u-9")] }),
    agreed:
      count === 0
        ? pick(
            {},
            { ...agreed, leaving: true as const },
            agreed,
            { ...agreed, leaving: true as const },
            { ...agreed, leaving: true as const },
          )
        : agreed,
  };
  return { held, who: [first, second].slice(0, count) };
}

function pendingOf(pick: Pick, platform: PlatformName, who: Who): Pending {
  return {
    since: PAST,
    ...marks(who),
    ...(platform === "anaconda" && { before: pick([], ["u-7"]) }),
    ...(pick(false, false, true) && { late: true }),
    ...(pick(false, false, true) && { again: true }),
  };
}

/** Often what is held already. */
function wantedToken(pick: Pick, platform: PlatformName, held: Held): NonNullable<Person["token"]> {
  const { agreed, users } = held;
  const [current] = pick(users, users.toReversed())[0]?.tokens ?? [];
  const isListing = platform === "anaconda";
  const often = <T>(value: T) => seldom(pick, 6, value);
  const like = <T>(value: T, ...others: readonly T[]) => pick(value, value, ...others);
  const recipients = pick(current?.sealedFor, like(current?.sealedFor, undefined, ["age1a"], ["age1b"]));
  return clean({
    expiresAt: like(agreed.expiresAt, undefined, EARLIER, "2027-05-01T23:59:59Z", "90d", PAST),
    renewBefore: often("30d"),
    tolerance: isListing ? pick(agreed.tolerance, often(1)) : undefined,
    rotateEvery: pick(agreed.rotateEvery, undefined, undefined, undefined, "90d"),
    mark: pick(current?.mark, like(current?.mark, undefined, "1", "2")),
    keepPreviousFor: isListing ? often("7d") : undefined,
    recipients,
    keepValue: recipients ? undefined : often(false),
    replaceExisting: pick(undefined, often(true)),
    adopt: isListing
      ? pick(undefined, undefined, undefined, pick<string | true | undefined>(undefined, true, "t-9"))
      : undefined,
  });
}

function wantedOf(pick: Pick, platform: PlatformName, held: Held): Person | WantedLeaver {
  const { users, pending } = held;
  const leaver = seldom(
    pick,
    4,
    pick(
      { leaving: true, removal: "delete" } as const,
      { leaving: true } as const,
      { leaving: true } as const,
    ),
  );
  if (leaver !== undefined) return leaver;
  const isMachine = (users[0] ?? pending)?.purpose !== undefined;
  const who = isMachine
    ? pick(builds, builds, nightly)
    : pick(ada, ada, ada, ada, lovelace, lovelace, { email: BYRON }, builds);
  const has = pick("token", "token", "token", "seat", "seat", "nothing", "nothing");
  const onDelete = pick(undefined, undefined, undefined, "delete" as const, "retain" as const);
  const often = <T>(value: T) => seldom(pick, 10, value);
  const asked = users.find((user) => user.asked?.what === "user")?.asked?.at;
  const missing: Missing | undefined = pick<Missing | undefined>(
    undefined,
    undefined,
    asked ? { of: "removal", since: asked } : pending && { of: "creation", since: pending.since },
  );
  return clean({
    ...who,
    organization: seldom(pick, 30, "changed" as const) ?? "same",
    key: pick(undefined, "ada"),
    firstName: who.purpose === undefined ? often("Ada") : undefined,
    team: often("Engines"),
    userId: seldom(pick, 5, pick("u-1", "u-2", "u-9")),
    seat: has !== "nothing",
    token: has === "token" ? wantedToken(pick, platform, held) : undefined,
    accessUntil: seldom(pick, 7, pick(PAST, "2027-06-01T23:59:59Z")),
    onDeleteUser: onDelete,
    onDeleteSeat: onDelete,
    allowAdminRemoval: platform === "anaconda" ? often(true) : undefined,
    protected: often(true as const),
    directory: often(true as const),
    subscriptionExpiresAt: seldom(pick, 9, LATER) ?? SUBSCRIPTION,
    missing,
  });
}

/** The lists of a service that has what is held, and sometimes less, more, or something else. */
function seenOf(
  pick: Pick,
  platform: PlatformName,
  { users: has, pending }: Held,
  who: readonly Who[],
  wanted: Person | WantedLeaver,
): Seen {
  const revoked = has.flatMap(({ id, tokens }) =>
    tokens.slice(0, 1).map((one) => ({ user: id, token: one.id ?? one.issuedAt })),
  );
  const offboarded = seldom(pick, 10, true) && { revoked };
  if (platform === "basic" || pick(true, false, false)) return { ...offboarded };
  const gone = pick([], [], [], [], [], has, has.slice(0, 1)).map(({ id }) => id);
  const own = has
    .map((user, index) => listedUser(pick, user, who[index] ?? {}, wanted))
    .filter(({ id }) => !gone.includes(id));
  const added = "seat" in wanted ? newcomers(pick, has, wanted, pending) : [];
  return {
    users: [...own, ...added],
    ...(gone.length > 0 && { absent: gone }),
    ...(seldom(pick, 10, true) && { isHiding: true as const }),
    ...offboarded,
  };
}

function listedUser(
  pick: Pick,
  user: HeldUser,
  { email, purpose, lastName }: Who,
  wanted: Person | WantedLeaver,
): SeenUser {
  const [isDrifting, isMoved] = [seldom(pick, 8, true), pick(false, true, true)];
  const hasSeat = user.seat === "held" || user.seat === "left" || (user.seat !== "none" && pick(true, false));
  const tokens: SeenToken[] = user.tokens.map((one, index) => ({
    id: one.id ?? `t-x${index}`,
    end: pick(one.reportedEnd ?? one.declaredEnd, one.reportedEnd ?? one.declaredEnd, EARLIER),
    ...(isDrifting && pick(true, false) && { isRevoked: true }),
  }));
  const stranger = seldom(pick, 7, true) ? [{ id: "t-s", end: SUBSCRIPTION }] : [];
  return {
    id: user.id,
    email: isMoved && email ? ("seat" in wanted && wanted.email) || BYRON : (email ?? null),
    firstName: purpose ?? null,
    lastName: lastName ?? null,
    role: pick("member", "member", "member", "member", "member", "admin", undefined),
    hasSeat: isDrifting ? pick(!hasSeat, undefined) : hasSeat,
    tokens: pick(undefined, [...tokens, ...stranger], [...tokens, ...stranger], [...tokens, ...stranger]),
  };
}

/** Users of the wanted address or names whom the member does not hold. */
function newcomers(
  pick: Pick,
  has: readonly HeldUser[],
  { email, purpose, lastName, userId }: Person,
  pending?: Pending,
): SeenUser[] {
  const id = userId ?? "u-5";
  const isHeld = has.some((user) => user.id === id);
  const isThere = pick(false, false, userId !== undefined || pending !== undefined, true);
  if (isHeld || !isThere) return [];
  const isOurs = pick(true, false);
  const one: SeenUser = {
    id,
    email: email ?? null,
    firstName: purpose ?? null,
    lastName: lastName ?? null,
    role: "member",
    hasSeat: pick(true, false, undefined),
    tokens: pick(undefined, [], [{ id: "t-9", end: SUBSCRIPTION }], [{ id: "t-9" }, { id: "t-8" }]),
    ...(isOurs && { isOurs: true as const }),
  };
  return [one, ...(pick(false, false, false, false, true) ? [{ ...one, id: "u-6" }] : [])];
}

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One wish that makes the token due, or none. */
const wishes = [
  ...[{ expiresAt: "2026-12-20T23:59:59Z" }, { expiresAt: "2026-12-24T23:59:59Z" }, { expiresAt: EARLIER }],
  ...[{ expiresAt: "2026-12-22T23:59:59Z" }, { expiresAt: PAST }],
  ...[{ rotateEvery: "90d" }, { rotateEvery: "90d" }, { mark: "2" }, { recipients: ["age1b"] }],
];

/** The cases of a seed: in half of them, the member has and wants most of the usual. */
export function* drawn(seed: number, count: number): Generator<Drawn> {
  const random = randomOf(seed);
  const any = <T>(first: T, others: readonly T[]) => {
    const at = Math.floor(random() * (others.length + 1));
    return others.reduce((chosen, one, index) => (index + 1 === at ? one : chosen), first);
  };
  for (let index = 0; index < count; index++) {
    const isUsual = index % 2 === 0;
    const pick: Pick = (first, ...others) => (isUsual && random() < 0.5 ? first : any(first, others));
    const platform = random() < 0.5 ? "basic" : "anaconda";
    const { held, who } = heldOf(pick, platform);
    const drawnWish = wantedOf(pick, platform, held);
    const hasWish = isUsual && "token" in drawnWish && drawnWish.token !== undefined;
    const wanted = hasWish
      ? { ...drawnWish, token: { ...drawnWish.token, ...any<Person["token"]>({}, wishes) } }
      : drawnWish;
    yield { platform, held, seen: seenOf(pick, platform, held, who, wanted), wanted };
  }
}
