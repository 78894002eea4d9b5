/** What differs between the states and the service, and how a preview and a report say it. */
import { counted, countedPeople, cut, grouped, LISTED } from "../../provider/util/text.ts";

/** What someone else changed of a managed person, with its text. */
const kinds = {
  memberRemoved: "no longer a member",
  emailChanged: "email changed",
  nameChanged: "name changed",
  roleChanged: "role changed",
  seatRemoved: "seat removed",
  seatAssigned: "seat assigned",
  tokenRevoked: "token revoked",
  tokenShortened: "token expires earlier",
  tokenExtended: "token expires later",
  tokenIssued: "another token issued",
} as const;

export type DriftKind = keyof typeof kinds;
export const driftKinds = Object.keys(kinds) as [DriftKind, ...DriftKind[]];

/** One difference of one person. */
export interface DriftFinding {
  readonly key: string;
  /** The email or the purpose. */
  readonly who: string;
  readonly stack: string;
  readonly userId: string;
  readonly kind: DriftKind;
  /** The value in the state, and the one in the service; null if there is none. */
  readonly before: string | null;
  readonly now: string | null;
}

/** A member whom no stack has. */
export interface UnmanagedMember {
  readonly userId: string;
  /** Null for a machine user without one. */
  readonly email: string | null;
  /** Null if it cannot be read. */
  readonly role: string | null;
  /** Null if the list does not say it. */
  readonly seat: boolean | null;
  /** The product codes; null if they cannot be read. */
  readonly products: string[] | null;
}

export function nameOfUnmanaged({ userId, email }: UnmanagedMember): string {
  return email ?? `user ${userId}`;
}

/** The differences between the service and all states, by person. */
export interface MemberDrift {
  readonly findings: readonly DriftFinding[];
  readonly unmanaged: readonly UnmanagedMember[];
}

export interface Drift {
  /** The number of users, seats, and tokens that were read from the service in this run. */
  readonly verified: number;
  /** Those that the run did not read, or that no call lists. */
  readonly unverifiable: number;
  /** Of the tokens in the states, those that this run read, and those that it left as the states have them. */
  readonly readTokens: number;
  readonly unreadTokens: number;
  /** Whether the service can list its members. */
  readonly canListMembers: boolean;
  /** Null if the run did not read the members. */
  readonly members: MemberDrift | null;
}

interface Reading {
  /** The number of users, seats, and tokens in the state. */
  readonly managed: number;
  readonly canListMembers: boolean;
  /** Undefined if the members were not read. */
  readonly members: MemberDrift | undefined;
  readonly readTokens: number;
  /** The number of tokens that stay as the state has them. */
  readonly unreadTokens: number;
}

export function driftOf({ managed, members, ...reading }: Reading): Drift {
  const read = managed - reading.unreadTokens;
  const verified = members === undefined ? 0 : read;
  return { ...reading, verified, unverifiable: read - verified, members: members ?? null };
}

/** One line on what was verified. */
export function describeDrift({ verified, unverifiable, canListMembers, members }: Drift): string {
  if (members === null && canListMembers) return "Drift: not checked (pass --refresh)";
  if (members === null) {
    const checked =
      verified === 0 ? "not checked" : `${grouped(verified)} verified, ${grouped(unverifiable)} unverifiable`;
    return `Drift: ${checked} (this API cannot list users, seats, or tokens)`;
  }
  const { findings, unmanaged } = members;
  const drifted = new Set(findings.map(({ userId }) => userId)).size;
  return [
    `Drift: ${drifted === 0 ? "none" : countedPeople(drifted)}`,
    ...(unmanaged.length === 0 ? [] : [`${counted(unmanaged.length, "unmanaged member")}`]),
    ...(verified === 0 ? [] : [`${grouped(verified)} verified`]),
    ...(unverifiable === 0 ? [] : [`${grouped(unverifiable)} unverifiable`]),
  ].join(", ");
}

/** Which tokens were not read; empty if all were. */
export function describeUnreadTokens({ readTokens, unreadTokens }: Drift): string[] {
  if (unreadTokens === 0) return [];
  const all = readTokens + unreadTokens;
  return [
    `Read ${grouped(readTokens)} of ${counted(all, "token")} from the service; the plan takes the others from the state. To read all, pass --refresh-tokens all`,
  ];
}

interface DriftLine {
  readonly who: string;
  readonly what: string;
}

/** The differences of each person, by user id. */
export function changedIn(findings: readonly DriftFinding[]): Map<string, DriftLine> {
  const changed = Map.groupBy(findings, ({ userId }) => userId);
  return new Map(
    [...changed].map(([userId, own]) => [
      userId,
      { who: own[0]?.who ?? "", what: own.map(describeFinding).join(", ") },
    ]),
  );
}

export function unmanagedLines(unmanaged: readonly UnmanagedMember[]): DriftLine[] {
  return unmanaged.map((member) => ({ who: nameOfUnmanaged(member), what: describeUnmanaged(member) }));
}

/** The lists of differences and of unmanaged members; each block begins with an empty line. */
export function driftInText({ findings, unmanaged }: MemberDrift, limit: number = LISTED): string[] {
  const changed = [...changedIn(findings).values()];
  return [
    ...block(`Changed in the service (${grouped(changed.length)})`, changed, limit),
    ...block(
      `Members not in any stack (${grouped(unmanaged.length)}); no run removes them, and \`orgseat adopt --only-unmanaged\` adopts them`,
      unmanagedLines(unmanaged),
      limit,
    ),
  ];
}

function describeFinding({ kind, before, now }: DriftFinding): string {
  const values = before === null && now === null ? "" : ` ${before ?? "(none)"} -> ${now ?? "(none)"}`;
  return `${kinds[kind]}${values}`;
}

function describeUnmanaged({ role, seat, products }: UnmanagedMember): string {
  const codes = products === null || products.length === 0 ? "" : ` (${products.join(", ")})`;
  const has = seat === null ? `seat unknown${codes}` : seat ? `has a seat${codes}` : `no seat${codes}`;
  return `${role ?? "role unknown"}, ${has}`;
}

function block(title: string, lines: readonly DriftLine[], limit: number): string[] {
  if (lines.length === 0) return [];
  const width = Math.min(48, Math.max(0, ...lines.slice(0, limit).map(({ who }) => who.length)));
  const texts = lines.map(({ who, what }) => `  ${who.padEnd(width)}  ${what}`);
  return ["", `${title}:`, ...cut(texts, limit)];
}
