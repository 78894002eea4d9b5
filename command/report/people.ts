/** Each person once: the rows of the roster with their members in the state, then the members without a row. */
import { endOf, type HeldUser } from "../../provider/member/held.ts";
import { pairsOf } from "../../provider/member/identify.ts";
import { accessAt } from "../../provider/resources/org-user/access-end.ts";
import { hasCome } from "../../provider/resources/rotation-schedule.ts";
import { nextByRule } from "../../provider/resources/user-token/cause.ts";
import { DAY_MS } from "../../provider/util/instants.ts";
import type { StateMember } from "../members/state-members.ts";
import { hasAccessEnded, labelOf, type RosterPerson } from "../roster/roster.ts";
import { type Band, bands, type Report, type ReportedPerson, type ReportedToken } from "./schema.ts";
import { type SeatUseFacts, seatUseOf } from "./seat-use.ts";

interface PeopleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A timestamp; undefined if no member was declared with one either. */
  readonly subscriptionExpiresAt: string | undefined;
  /** Undefined: not asked. */
  readonly seatUse: SeatUseFacts | undefined;
  /** The product codes by user id, of the users whose subscriptions the service lists. */
  readonly products?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** A member of the state who holds a user. */
export interface Holder extends StateMember {
  readonly user: HeldUser;
  /** When orgseat added or adopted the user, a timestamp. */
  readonly since: string | undefined;
}

export function holdersIn(members: readonly StateMember[]): Holder[] {
  return members.flatMap((member) => {
    const [user] = member.held.users;
    return user === undefined ? [] : [{ ...member, user, since: user.since ?? member.created }];
  });
}

/** @param rows of the roster */
export function reportedPeople(
  rows: readonly RosterPerson[],
  members: readonly Holder[],
  options: PeopleOptions,
): ReportedPerson[] {
  const labeled = rows.map((row) => ({ ...row, label: row.place }));
  const pairs = pairsOf(labeled, members);
  const paired = new Set(pairs.values());
  return [
    ...labeled.map((row) => reported(row, pairs.get(row), options)),
    ...members.filter((member) => !paired.has(member)).map((member) => reported(undefined, member, options)),
  ].toSorted(soonestFirst);
}

const seats: Readonly<Record<HeldUser["seat"], ReportedPerson["seat"]>> = {
  none: "none",
  left: "none",
  held: "assigned",
  unconfirmed: "unconfirmed",
  unknown: "unconfirmed",
};

function reported(
  row: RosterPerson | undefined,
  member: Holder | undefined,
  options: PeopleOptions,
): ReportedPerson {
  const { now, seatUse, products } = options;
  const purpose = row?.purpose ?? (member?.purpose === undefined ? undefined : member.label);
  const email = row?.email ?? member?.email;
  const { firstName, lastName = member?.lastName } = row ?? {};
  const names = email === undefined ? {} : { firstName, lastName };
  const key = member?.user.id ?? row?.key ?? "";
  const userId = member?.user.id ?? row?.userId;
  const codes = userId === undefined ? undefined : products?.get(userId);
  const seat = seats[member?.user.seat ?? "none"];
  return {
    who: labelOf({ email, purpose, key, firstName, lastName: purpose === undefined ? lastName : undefined }),
    kind: email === undefined ? (purpose === undefined ? "unknown" : "machine") : "person",
    key: row?.key ?? null,
    email: email ?? null,
    purpose: email === undefined ? (purpose ?? null) : null,
    firstName: names.firstName ?? null,
    lastName: names.lastName ?? null,
    team: row?.team ?? null,
    userId: userId ?? null,
    stack: member?.stack ?? null,
    inRoster: row !== undefined,
    inState: member !== undefined,
    seat,
    products: codes === undefined ? null : [...codes],
    token: member === undefined ? null : reportedToken(row, member, options),
    since: member?.since ?? null,
    adopted: member?.user.adopted ?? false,
    access: row?.accessUntil === undefined ? null : accessOf(row.accessUntil, now),
    seatUse:
      seatUse === undefined || member === undefined || seat === "none"
        ? null
        : seatUseOf(member.user, email, seatUse),
  };
}

function accessOf(until: string, now: number): ReportedPerson["access"] {
  return { until, daysLeft: daysUntil(until, now), status: accessAt(until, now) };
}

function soonestFirst(a: ReportedPerson, b: ReportedPerson): number {
  const ends = (person: ReportedPerson) => (person.token ? Date.parse(person.token.validUntil) : Infinity);
  const [endOfA, endOfB] = [ends(a), ends(b)];
  if (endOfA !== endOfB) return endOfA < endOfB ? -1 : 1;
  return byName.compare(a.who, b.who);
}

const byName = new Intl.Collator("en");

const limits: readonly (readonly [Band, number])[] = [
  ["under7", 7],
  ["under30", 30],
  ["under90", 90],
];

/** Whole days until a timestamp, rounded down: negative once it has passed. @param now milliseconds since 1970 */
export function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS);
}

function reportedToken(
  row: RosterPerson | undefined,
  { user, held }: Holder,
  { now, subscriptionExpiresAt }: PeopleOptions,
): ReportedToken | null {
  const [token] = user.tokens;
  if (token === undefined) return null;
  const { adopted, issuedAt, reportedEnd } = token;
  const { rotateEvery } = held.agreed;
  const validUntil = endOf(token);
  const daysLeft = daysUntil(validUntil, now);
  // `up` never rotates the token of a person whom it removes first.
  const rotationDue =
    row === undefined || hasAccessEnded(row, now)
      ? undefined
      : nextByRule(
          user.id,
          { rotateEvery, issuedAt },
          { expiresAt: row.expires, subscriptionExpiresAt },
          now,
        );
  return {
    ...{ validUntil, daysLeft, band: bandOf(validUntil, daysLeft, now) },
    source: reportedEnd === undefined ? "declared" : "service",
    rotationDue: rotationDue ?? null,
    // The state has the time of the adoption instead.
    ...{ issuedAt: adopted ? null : issuedAt, adoptedAt: adopted ? issuedAt : null },
  };
}

function bandOf(validUntil: string, daysLeft: number, now: number): Band {
  if (Date.parse(validUntil) <= now) return "expired";
  return limits.find(([, days]) => daysLeft < days)?.[0] ?? "more";
}

/** Whether a rule rotates the token at the next `up`. @param now milliseconds since 1970 */
export function isRotationDue({ token }: ReportedPerson, now: number): boolean {
  return hasCome(token?.rotationDue, now);
}

/** @param now milliseconds since 1970 */
export function countTokens(people: readonly ReportedPerson[], now: number): Report["tokens"] {
  const tokens = people.flatMap(({ token }) => token ?? []);
  return {
    ...counts(tokens),
    rotationDue: people.filter((person) => isRotationDue(person, now)).length,
    bands: bands.map((band) => ({ band, ...counts(tokens.filter((token) => token.band === band)) })),
  };
}

function counts(tokens: readonly ReportedToken[]) {
  const confirmed = tokens.filter(({ source }) => source === "service").length;
  return { total: tokens.length, confirmed, declared: tokens.length - confirmed };
}
