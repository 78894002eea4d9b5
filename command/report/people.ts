/** Each person once: the rows of the roster with their members in the state, then the members without a row. */
import { accessAt } from "../../provider/resources/org-user/access-end.ts";
import { hasCome } from "../../provider/resources/rotation-schedule.ts";
import { nextByRule } from "../../provider/resources/user-token/cause.ts";
import { DAY_MS } from "../../provider/util/instants.ts";
import { hasAccessEnded, labelOf, type RosterPerson } from "../roster/roster.ts";
import type { ReportMember } from "./members.ts";
import { type Band, bands, type Report, type ReportedPerson, type ReportedToken } from "./schema.ts";
import { type SeatUseFacts, seatUseOf } from "./seat-use.ts";

export interface PeopleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A timestamp. */
  readonly subscriptionExpiresAt: string | undefined;
  /** Undefined: not asked. */
  readonly seatUse: SeatUseFacts | undefined;
  /** The product codes by user id, of the users whose subscriptions the service lists. */
  readonly products?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** @param rows of the roster */
export function reportedPeople(
  rows: readonly RosterPerson[],
  members: readonly ReportMember[],
  options: PeopleOptions,
): ReportedPerson[] {
  const pairs = pairUp(rows, members);
  const paired = new Set(pairs.values());
  return [
    ...rows.map((row) => reported(row, pairs.get(row), options)),
    ...members.filter((member) => !paired.has(member)).map((member) => reported(undefined, member, options)),
  ].toSorted(soonestFirst);
}

/** Pairs rows and members by the key, otherwise by the email, otherwise by the user id that the row adopts. */
function pairUp(
  rows: readonly RosterPerson[],
  members: readonly ReportMember[],
): Map<RosterPerson, ReportMember> {
  const pairs = new Map<RosterPerson, ReportMember>();
  const free = new Set(members);
  const pairBy = (
    ofRow: (row: RosterPerson) => string | undefined,
    ofMember: (member: ReportMember) => readonly string[],
  ) => {
    const found = new Map(
      [...free].flatMap((member) => ofMember(member).map((name) => [name, member] as const)),
    );
    for (const row of rows) {
      const member = pairs.has(row) ? undefined : found.get(ofRow(row) ?? "");
      if (member === undefined || !free.delete(member)) continue;
      pairs.set(row, member);
    }
  };
  pairBy(
    (row) => row.key,
    ({ key }) => [key],
  );
  pairBy(
    (row) => row.email,
    ({ email }) => (email === undefined ? [] : [email]),
  );
  pairBy(
    (row) => row.userId,
    (member) => [member.userId],
  );
  return pairs;
}

function reported(
  row: RosterPerson | undefined,
  member: ReportMember | undefined,
  { now, seatUse, subscriptionExpiresAt, products }: PeopleOptions,
): ReportedPerson {
  const purpose = row?.purpose ?? machineName(member);
  const email = row?.email ?? member?.email;
  const { firstName, lastName = member?.lastName } = row ?? {};
  const names = email === undefined ? {} : { firstName, lastName };
  const key = member?.userId ?? row?.key ?? "";
  const userId = member?.userId ?? row?.userId;
  const codes = userId === undefined ? undefined : products?.get(userId);
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
    seat: member?.seat === undefined ? "none" : member.seat.confirmed ? "assigned" : "unconfirmed",
    products: codes === undefined ? null : [...codes],
    token:
      member?.token === undefined
        ? null
        : reportedToken(row, member.token, { ...member, now, subscriptionExpiresAt }),
    since: member?.since ?? null,
    adopted: member?.adopted ?? false,
    access: row?.accessUntil === undefined ? null : reportedAccess(row.accessUntil, now),
    seatUse: seatUse === undefined ? null : seatUseOf(member, email, seatUse),
  };
}

/** The names of a machine user. */
function machineName(member: ReportMember | undefined): string | undefined {
  return member?.purpose === undefined ? undefined : member.label;
}

function reportedAccess(until: string, now: number): ReportedPerson["access"] {
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

type HeldToken = NonNullable<ReportMember["token"]>;
type TokenContext = Pick<ReportMember, "userId"> & Pick<PeopleOptions, "now" | "subscriptionExpiresAt">;

function reportedToken(
  row: RosterPerson | undefined,
  token: HeldToken,
  context: TokenContext,
): ReportedToken {
  const { validUntil, expirySource: source } = token;
  const daysLeft = daysUntil(validUntil, context.now);
  const band = bandOf(validUntil, daysLeft, context.now);
  const rotationDue = rotationDueOf(row, token, context);
  return { validUntil, daysLeft, band, source, rotationDue, issuedAt: token.issuedAt ?? null };
}

/** Null if `up` never rotates it: the person is removed first, or no rule does. */
function rotationDueOf(
  row: RosterPerson | undefined,
  { subscriptionExpiresAt: declared, ...rule }: HeldToken,
  { userId, now, subscriptionExpiresAt: end = declared }: TokenContext,
): string | null {
  if (row === undefined || hasAccessEnded(row, now)) return null;
  return nextByRule(userId, rule, { expiresAt: row.expires, subscriptionExpiresAt: end }, now) ?? null;
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
