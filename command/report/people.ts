/** Each person once: the rows of the roster with their members in the states, then the members without a row. */
import { accessAt } from "../../provider/resources/org-user/access-end.ts";
import { isIssuable, nextRotation, type RotationRule } from "../../provider/resources/rotation-schedule.ts";
import { declaredDate } from "../../provider/resources/user-token/dates.ts";
import { labelOf, type RosterPerson } from "../roster/roster.ts";
import { purposeOf, type ReportMember } from "./members.ts";
import {
  type Band,
  bands,
  type Report,
  type ReportedAccess,
  type ReportedPerson,
  type ReportedToken,
} from "./schema.ts";
import { type SeatUseFacts, seatUseOf } from "./seat-use.ts";

export interface PeopleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A timestamp. */
  readonly subscriptionExpiresAt: string | undefined;
  /** Undefined: not asked. */
  readonly seatUse: SeatUseFacts | undefined;
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
    ({ resources }) => resources.map((resource) => resource.member),
  );
  pairBy(
    (row) => row.email,
    ({ profile }) => (profile?.email === undefined ? [] : [profile.email]),
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
  { now, seatUse, subscriptionExpiresAt }: PeopleOptions,
): ReportedPerson {
  const profile = member?.profile;
  const purpose = row?.purpose ?? (member && purposeOf(member));
  const email = row?.email ?? profile?.email;
  return {
    who: labelOf({
      ...{ email, purpose, key: member?.userId ?? row?.key ?? "" },
      ...{
        firstName: row?.firstName ?? profile?.firstName,
        lastName: purpose === undefined ? (row?.lastName ?? profile?.lastName) : undefined,
      },
    }),
    kind: email === undefined ? (purpose === undefined ? "unknown" : "machine") : "person",
    key: row?.key ?? null,
    email: email ?? null,
    purpose: email === undefined ? (purpose ?? null) : null,
    firstName: (email === undefined ? undefined : (row?.firstName ?? profile?.firstName)) ?? null,
    lastName: (email === undefined ? undefined : (row?.lastName ?? profile?.lastName)) ?? null,
    team: row?.team ?? null,
    userId: member?.userId ?? row?.userId ?? null,
    stack: member?.stack ?? null,
    inRoster: row !== undefined,
    inState: member !== undefined,
    seat: member?.seat === undefined ? "none" : member.seat.confirmed ? "assigned" : "unconfirmed",
    token:
      member?.token === undefined
        ? null
        : {
            ...reportedToken(member.token, now),
            rotationDue: rotationDueOf(row, member.token, {
              ...member,
              now,
              subscriptionExpiresAt,
            }),
          },
    since: (profile && member?.user?.created) ?? null,
    adopted: profile?.adopted ?? false,
    access: row?.accessUntil === undefined ? null : reportedAccess(row.accessUntil, now),
    seatUse: seatUse === undefined ? null : seatUseOf(member, email, seatUse),
  };
}

function reportedAccess(until: string, now: number): ReportedAccess {
  return { until, daysLeft: daysUntil(until, now), status: accessAt(until, now) };
}

function soonestFirst(a: ReportedPerson, b: ReportedPerson): number {
  const ends = (person: ReportedPerson) => (person.token ? Date.parse(person.token.validUntil) : Infinity);
  const [endOfA, endOfB] = [ends(a), ends(b)];
  if (endOfA !== endOfB) return endOfA < endOfB ? -1 : 1;
  return byName.compare(a.who, b.who);
}

const byName = new Intl.Collator("en");

const DAY_MS = 86_400_000;
const limits: readonly (readonly [Band, number])[] = [
  ["under7", 7],
  ["under30", 30],
  ["under90", 90],
];

/** Whole days until a timestamp, rounded down: negative once it has passed. @param now milliseconds since 1970 */
export function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS);
}

interface HeldToken extends RotationRule {
  readonly validUntil: string;
  readonly expirySource: ReportedToken["source"];
  /** The declared dates, timestamps. */
  readonly expiresAt?: string | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
}

/** @param now milliseconds since 1970 */
function reportedToken(
  { validUntil, expirySource: source }: HeldToken,
  now: number,
): Omit<ReportedToken, "rotationDue"> {
  const daysLeft = daysUntil(validUntil, now);
  return { validUntil, daysLeft, band: bandOf(validUntil, daysLeft, now), source };
}

/** Null if `up` never rotates it: the person is removed first, or a new value would be expired at once. */
function rotationDueOf(
  row: RosterPerson | undefined,
  { expiresAt, subscriptionExpiresAt: declared, ...rule }: HeldToken,
  { userId, now, subscriptionExpiresAt: end = declared }: RotationContext,
): string | null {
  const isRemoved = row === undefined;
  const declaredExpiry = row === undefined ? expiresAt : row.expires;
  const wanted = declaredDate({ expiresAt: declaredExpiry, subscriptionExpiresAt: end }, now);
  const isExpired = wanted !== undefined && !isIssuable(wanted, now);
  if (isRemoved || isExpired || accessAt(row?.accessUntil, now) === "ended") return null;
  return nextRotation(userId, rule) ?? null;
}

type RotationContext = Pick<ReportMember, "userId"> & Pick<PeopleOptions, "now" | "subscriptionExpiresAt">;

function bandOf(validUntil: string, daysLeft: number, now: number): Band {
  if (Date.parse(validUntil) <= now) return "expired";
  return limits.find(([, days]) => daysLeft < days)?.[0] ?? "more";
}

/** Whether a rule rotates the token at the next `up`. @param now milliseconds since 1970 */
export function isRotationDue({ token }: ReportedPerson, now: number): boolean {
  return typeof token?.rotationDue === "string" && Date.parse(token.rotationDue) <= now;
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
