/** Compares the state with the members that the service lists. Pure. */
import { endOf, type HeldUser, markOf } from "../../provider/member/held.ts";
import { type HeldToken, missingToken, resolveOwn } from "../../provider/resources/members/absence.ts";
import { type SeatStatus, seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { liveTokens } from "../../provider/resources/members/token-list.ts";
import {
  isHiding,
  type ListedToken,
  type ListedUser,
  type ServiceMembers,
} from "../../provider/service/members.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { isLater } from "../../provider/util/instants.ts";
import type { StateMember } from "../members/state-members.ts";
import { type DriftFinding, type DriftKind, type MemberDrift, nameOfUnmanaged } from "../plan/drift.ts";

type Difference = Pick<DriftFinding, "kind" | "before" | "now">;

/** @param product whose seats count; undefined: those of any product */
export function memberDrift(
  members: readonly StateMember[],
  { users, odd, tokens, contradicted }: ServiceMembers,
  product: string | undefined,
): MemberDrift {
  const listed = new Map(users.map((user) => [user.id, user]));
  const hides = isHiding({ odd });
  const seatFor = seatsIn(users, product);
  const managed = new Set(members.flatMap(({ held }) => held.users.map(({ id }) => id)));
  return {
    findings: members
      .flatMap((member) => {
        const { key, label: who, stack, held } = member;
        const [own] = held.users;
        if (own === undefined) return [];
        const userId = own.id;
        const user = listed.get(userId);
        // An item that cannot be read may be this member, and the lists of tokens may show that they are there.
        if (user === undefined && (hides || contradicted.has(userId))) return [];
        const found = differences(member, own, user, {
          tokens: tokens.get(userId),
          seat: user && seatFor(user),
        });
        return found.map((difference) => ({ key, who, stack, userId, ...difference }));
      })
      .toSorted((a, b) => (a.who < b.who ? -1 : Number(a.who > b.who))),
    unmanaged: users
      .filter(({ id }) => !managed.has(id))
      .map((user) => ({
        ...{ userId: user.id, email: user.email || null, role: user.role ?? null },
        ...{ seat: SEATS[seatFor(user)], products: user.subscriptions ?? null },
      }))
      .toSorted((a, b) => (nameOfUnmanaged(a) < nameOfUnmanaged(b) ? -1 : 1)),
  };
}

const SEATS = { yes: true, no: false, unknown: null } as const;

/** The ids of all users with a seat, managed or not, as far as the list says it. */
export function seatHoldersIn(
  { users }: Pick<ServiceMembers, "users">,
  product: string | undefined,
): Set<string> {
  const seatFor = seatsIn(users, product);
  return new Set(users.flatMap((user) => (seatFor(user) === "yes" ? user.id : [])));
}

interface Shown {
  readonly tokens: readonly ListedToken[] | undefined;
  readonly seat: SeatStatus | undefined;
}

function differences(
  member: StateMember,
  own: HeldUser,
  user: ListedUser | undefined,
  { tokens, seat = "unknown" }: Shown,
): Difference[] {
  if (user === undefined) return [difference("memberRemoved")];
  const token = ownTokenOf(own);
  return [
    ...differencesOfUser(member, own, user),
    ...differencesOfSeat(own, seat),
    ...(token === undefined || tokens === undefined ? [] : differencesOfToken(token, tokens)),
  ];
}

function difference(kind: DriftKind, before: string | null = null, now: string | null = null): Difference {
  return { kind, before, now };
}

/** Only what the state knows can have changed. Of names, it has marks alone. */
function differencesOfUser(member: StateMember, { role, listed }: HeldUser, user: ListedUser): Difference[] {
  const { ref } = member.held;
  const isEmail = member.email !== undefined && Boolean(user.email);
  const isMoved = isEmail && markOf(ref, member.email ?? "") !== markOf(ref, user.email ?? "");
  const isRenamed =
    isOther(ref, listed?.firstName, user.first_name) || isOther(ref, listed?.lastName, user.last_name);
  const isOtherRole = role !== undefined && Boolean(user.role) && role !== user.role;
  return [
    ...(isMoved ? [difference("emailChanged", member.email, user.email ?? null)] : []),
    ...(isRenamed ? [difference("nameChanged", null, fullName(user.first_name, user.last_name))] : []),
    ...(isOtherRole ? [difference("roleChanged", role, user.role ?? null)] : []),
  ];
}

/** An absent name proves nothing: the service may not report it. */
function isOther(ref: string, mark: string | undefined, listed: string | null | undefined): boolean {
  return mark !== undefined && Boolean(listed) && mark !== markOf(ref, listed ?? "");
}

function fullName(...names: readonly (string | null | undefined)[]): string | null {
  return names.filter(Boolean).join(" ") || null;
}

/** A retained seat is none of the state's. */
function differencesOfSeat({ seat: own }: HeldUser, seat: SeatStatus): Difference[] {
  const isManaged = own !== "none" && own !== "left";
  if (seat === "unknown" || own === "left" || isManaged === (seat === "yes")) return [];
  return [difference(isManaged ? "seatRemoved" : "seatAssigned")];
}

function differencesOfToken(known: HeldToken, tokens: readonly ListedToken[]): Difference[] {
  const { otherTokenIds = [], previous = [], validUntil } = known;
  const theirs = new Set([...otherTokenIds, ...previous.map(({ tokenId }) => tokenId)]);
  const resolved = resolveOwn(tokens, known);
  const own = "token" in resolved ? resolved.token : undefined;
  const others = liveTokens(tokens).filter(({ id }) => id !== own?.id && !theirs.has(id));
  return [
    ...("gone" in resolved ? [difference("tokenRevoked", validUntil || null)] : []),
    ...(own?.expires_at === undefined || validUntil === ""
      ? []
      : differencesOfExpiry(validUntil, own.expires_at)),
    ...others.map(({ expires_at }) => difference("tokenIssued", null, expires_at)),
  ];
}

function differencesOfExpiry(before: string, now: string): Difference[] {
  if (isLater(before, now)) return [difference("tokenShortened", before, now)];
  return isLater(now, before) ? [difference("tokenExtended", before, now)] : [];
}

/** @throws Error if a list of tokens contradicts the state */
export function requireOwnTokens(
  members: readonly StateMember[],
  { tokens }: Pick<ServiceMembers, "tokens">,
): void {
  for (const { held, label } of members)
    for (const user of held.users) {
      const [token, listed] = [ownTokenOf(user), tokens.get(user.id)];
      if (token && listed && "missing" in resolveOwn(listed, token))
        throw new CodedError("token-gone", missingToken(label));
    }
}

/** Undefined if the state has no token of the user, or one of which nothing shows whether it exists. */
export function ownTokenOf({ tokens: [token, ...earlier] }: HeldUser): HeldToken | undefined {
  if (token === undefined || token.value === "lost") return undefined;
  return {
    ...(token.id !== undefined && { tokenId: token.id }),
    ...(token.others !== undefined && { otherTokenIds: token.others }),
    validUntil: endOf(token),
    previous: earlier.flatMap(({ id }) => (id === undefined ? [] : [{ tokenId: id }])),
  };
}
