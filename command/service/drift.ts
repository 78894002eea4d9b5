/** Compares the states of all stacks with the members that the service lists. */

import { z } from "zod";
import { isSameText } from "../../provider/api/schemas/user-names.ts";
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
import { type DriftFinding, type DriftKind, type MemberDrift, nameOfUnmanaged } from "../plan/drift.ts";
import type { Properties, ResourceType } from "../plan/steps/steps.ts";
import { type StateMember, tokenIn } from "../stacks/stack-state.ts";

/** What the outputs of a user say; a value of another form counts as missing. */
const text = z.string().optional().catch(undefined);
const userSchema = z.object({
  ...{ email: text, purpose: text, firstName: text, lastName: text, role: text },
  ...{ serviceEmail: text, serviceFirstName: text, serviceLastName: text },
});
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
  const managed = new Set(members.map(({ userId }) => userId));
  return {
    findings: members
      .flatMap((member) => {
        const { key, label: who, stack, userId } = member;
        const user = listed.get(userId);
        // An item that cannot be read may be this member, and the lists of tokens may show that they are there.
        if (user === undefined && (hides || contradicted.has(userId))) return [];
        const found = differences(member, user, tokens.get(userId), user && seatFor(user));
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

function differences(
  member: StateMember,
  user: ListedUser | undefined,
  tokens: readonly ListedToken[] | undefined,
  seat: SeatStatus = "unknown",
): Difference[] {
  if (user === undefined) return [difference("memberRemoved")];
  const token = ownTokenOf(member);
  return [
    ...differencesOfUser(member, user),
    ...differencesOfSeat(outputsOf(member, "SeatAssignment") !== undefined, seat),
    ...(token === undefined || tokens === undefined ? [] : differencesOfToken(token, tokens)),
  ];
}

function difference(kind: DriftKind, before: string | null = null, now: string | null = null): Difference {
  return { kind, before, now };
}

function outputsOf({ resources }: StateMember, wanted: ResourceType): Properties | undefined {
  return resources.find(({ type }) => type === wanted)?.outputs;
}

/** Only what the state knows can have changed: a person may be declared without names. */
function differencesOfUser(member: StateMember, user: ListedUser): Difference[] {
  const known = userSchema.parse(outputsOf(member, "OrgUser") ?? {});
  const { serviceFirstName: firstName = known.purpose ?? known.firstName, role } = known;
  const { serviceLastName: lastName = known.lastName } = known;
  const { serviceEmail: email = known.email } = known;
  const isRenamed = isOther(firstName, user.first_name) || isOther(lastName, user.last_name);
  return [
    ...(isOther(email, user.email) ? [difference("emailChanged", email, user.email ?? null)] : []),
    ...(isRenamed
      ? [difference("nameChanged", fullName(firstName, lastName), fullName(user.first_name, user.last_name))]
      : []),
    ...(isOther(role, user.role) ? [difference("roleChanged", role, user.role ?? null)] : []),
  ];
}

/** An absent name proves nothing: the service may not report it. */
function isOther(known: string | undefined, listed: string | null | undefined): boolean {
  return known !== undefined && Boolean(listed) && !isSameText(known, listed ?? "");
}

function fullName(...names: readonly (string | null | undefined)[]): string | null {
  return names.filter(Boolean).join(" ") || null;
}

function differencesOfSeat(isManaged: boolean, seat: SeatStatus): Difference[] {
  if (seat === "unknown" || isManaged === (seat === "yes")) return [];
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

/** @throws Error if a list of tokens contradicts the states */
export function requireOwnTokens(
  members: readonly StateMember[],
  { tokens }: Pick<ServiceMembers, "tokens">,
): void {
  for (const member of members) {
    const [token, listed] = [ownTokenOf(member), tokens.get(member.userId)];
    if (token && listed && "missing" in resolveOwn(listed, token))
      throw new CodedError("token-gone", missingToken(member.label));
  }
}

/** A value of another form counts as missing. */
const tokenSchema = z.object({
  tokenId: z.string().optional().catch(undefined),
  otherTokenIds: z.array(z.string()).optional().catch(undefined),
  validUntil: z.string().catch(""),
  previous: z
    .array(z.object({ tokenId: z.string() }))
    .optional()
    .catch(undefined),
  isLost: z.literal(true).optional().catch(undefined),
});

/** Undefined if the states have no token of the member, or one of which nothing shows whether it exists. `validUntil` is empty if it is unknown. */
export function ownTokenOf(member: Pick<StateMember, "resources">): HeldToken | undefined {
  const token = tokenIn(member);
  const known = token && tokenSchema.parse(token.outputs);
  return known?.isLost ? undefined : known;
}
