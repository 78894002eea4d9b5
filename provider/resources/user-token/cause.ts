/**
 * What happens to an existing token, and why. Diff, update, and the plan of `orgseat` decide by it, so they cannot
 * differ. Pure.
 */
import { changedKeys } from "../changes.ts";
import { personKey } from "../ownership.ts";
import type { PlanContext, PreviousToken, Reissue, TokenOwner } from "../resource.ts";
import { hasCome, nextRotation, type RotationRule } from "../rotation-schedule.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import {
  type DeclaredDates,
  type DueRenewal,
  declaredDate,
  dueRenewal,
  isDueByTime,
  isPast,
  isShortened,
  type KnownToken,
  periodOf,
  previousExpiry,
  refusedExpiry,
} from "./dates.ts";

/** The inputs of a UserToken that say what the state keeps of its value. */
export interface Keeping {
  /** Public keys of age. */
  readonly recipients?: readonly string[] | undefined;
  /** Default: true. */
  readonly keepValue?: boolean | undefined;
}

/** Each once and in order: the order means nothing. */
export function recipientsIn(given: readonly string[]): string[] {
  return [...new Set(given)].toSorted();
}

/** The inputs whose change needs a new token, because the old value is sealed for others, or unknown. */
export function reissuedFor(olds: Keeping, news: Knowable<Keeping>): ("recipients" | "keepValue")[] {
  const { recipients, keepValue } = news;
  const isSame =
    recipients !== unknown &&
    recipientsIn(olds.recipients ?? []).join() === recipientsIn(recipients ?? []).join();
  if (!isSame) return ["recipients"];
  return olds.keepValue === false && keepValue !== false ? ["keepValue"] : [];
}

/** What a program declares of a token. */
export interface DeclaredToken extends DeclaredDates, Keeping {
  readonly userId: string;
  readonly organizationId: string;
  readonly rotation?: string | undefined;
  readonly rotateEvery?: string | undefined;
  readonly adopt?: boolean | string | undefined;
  readonly keepPreviousFor?: string | undefined;
}

/**
 * The id of the token if its successor keeps it, and with it the earlier ones. As with accounts, the new resource owns them:
 * its updates revoke them when their time has come, and its removal revokes all.
 */
export function keptToken(
  olds: OfUser & { readonly tokenId?: unknown; readonly isLost?: unknown },
  news: OfUser & { readonly keepPreviousFor?: unknown },
): string | undefined {
  const { tokenId, isLost } = olds;
  const isOfOther = olds.userId !== news.userId || olds.organizationId !== news.organizationId;
  if (isLost === true || isOfOther || typeof news.keepPreviousFor !== "string") return undefined;
  return typeof tokenId === "string" ? tokenId : undefined;
}

interface OfUser {
  readonly userId?: unknown;
  readonly organizationId?: unknown;
}

/** The token of a state. */
export interface ExistingToken extends DeclaredToken, KnownToken, RotationRule {
  readonly isLost?: boolean | undefined;
  readonly previous?: readonly PreviousToken[] | undefined;
}

export const identity = ["userId", "rotation", "organizationId"] as const;
type Replacing = (typeof identity)[number] | ReturnType<typeof reissuedFor>[number];

/** In order of precedence. */
export type Cause =
  /** A new value would be expired at once: the update fails, and nothing is revoked. */
  | { readonly kind: "refusedValue"; readonly wanted: string }
  /** The earlier date has passed: the update fails. */
  | { readonly kind: "refusedDate"; readonly end: string }
  /** `form`: of them, what the state keeps of the value. */
  | { readonly kind: "replaced"; readonly keys: readonly Replacing[]; readonly form: Replacing | undefined }
  /** The response of its creation was lost, or the service has ended it while it keeps earlier ones. */
  | { readonly kind: "lost" }
  /** A date is not known yet. */
  | { readonly kind: "unknown" }
  /** `isRoutine`: the rule was in force before this run. */
  | { readonly kind: "rule"; readonly rule: RotationRule; readonly isRoutine: boolean }
  /** A renewal of this service can only extend. */
  | { readonly kind: "shortened"; readonly from: string | undefined; readonly to: string | undefined }
  | { readonly kind: "renewal"; readonly due: DueRenewal }
  | { readonly kind: "kept" };

interface CauseFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a renewal can set any date. */
  readonly canSetExpiry: boolean;
  /** Whether this run may replace the token because a slot of its rule has passed. */
  readonly mayRotate: () => boolean;
}

export function causeOf(
  olds: ExistingToken,
  news: Knowable<DeclaredToken>,
  { now, canSetExpiry, mayRotate }: CauseFacts,
): Cause {
  const reissued = reissuedFor(olds, news);
  const keys = [...changedKeys(olds, news, identity), ...reissued];
  const refused = isOfOther({ keys }) ? undefined : refusalOf(olds, news, keys.length > 0, now);
  if (refused !== undefined) return refused;
  if (keys.length > 0) return { kind: "replaced", keys, form: reissued[0] };
  const isAdoptable = (news.adopt ?? false) !== false && typeof olds.tokenId !== "string";
  if (olds.isLost && !isAdoptable) return { kind: "lost" };
  const dates = knownDates(news);
  if (dates === undefined) return { kind: "unknown" };
  const rule = { rotateEvery: known(news.rotateEvery), issuedAt: olds.issuedAt };
  if (hasCome(nextByRule(olds.userId, rule, news, now), now) && mayRotate())
    return { kind: "rule", rule, isRoutine: olds.rotateEvery === rule.rotateEvery };
  if (isShortened(olds, dates, now) && !canSetExpiry)
    return { kind: "shortened", from: previousExpiry(olds, now), to: declaredDate(dates, now) };
  const due = dueRenewal(olds, dates, now);
  return due === undefined ? { kind: "kept" } : { kind: "renewal", due };
}

/**
 * What an update does: Pulumi updates a token, so no rule rotates it, and any date can be set. Otherwise it would replace the
 * token.
 */
export function causeOfUpdate(olds: ExistingToken, news: Knowable<DeclaredToken>, now: number): Cause {
  return causeOf(olds, news, { now, canSetExpiry: true, mayRotate: () => false });
}

/** A state of another platform, or of a list that did not report, lacks the id of its token. */
export function lacksId({ tokenId }: Pick<KnownToken, "tokenId">): boolean {
  return typeof tokenId !== "string";
}

/**
 * Whether a replacement revokes the old token before it issues the new one. If tokens have ids, it issues first, so that a
 * refusal takes nothing, unless the lists alone show which token is the old one: they could not with a new one beside it.
 */
export function isRevokedFirst(
  olds: ExistingToken,
  cause: Cause,
  { can }: Pick<PlanContext, "can">,
): boolean {
  return !can.revokesByTokenId || lacksId(olds) || (cause.kind === "replaced" && isOfOther(cause));
}

/** Whether the new token is one of another user: the old one is revoked before its seat is removed. */
function isOfOther({ keys }: { readonly keys: readonly Replacing[] }): boolean {
  return keys.includes("userId") || keys.includes("organizationId");
}

/** The inputs that replace the token. */
export function replacesOf(cause: Cause): readonly (Replacing | "rotateEvery" | "expiresAt")[] {
  if (cause.kind === "replaced") return cause.keys;
  if (cause.kind === "lost") return ["rotation"];
  if (cause.kind === "rule") return ["rotateEvery"];
  return cause.kind === "shortened" ? ["expiresAt"] : [];
}

/** What the replacement that issues a new value is, with the tokens that the successor keeps; undefined if there is none. */
export function reissueOf(
  cause: Cause,
  olds: ExistingToken,
  news: Knowable<DeclaredToken>,
  context: Pick<PlanContext, "can">,
): Reissue | undefined {
  if (cause.kind === "replaced" && isOfOther(cause)) return undefined;
  if (cause.kind !== "replaced" && cause.kind !== "lost" && cause.kind !== "rule") return undefined;
  const isRoutine = cause.kind === "lost" || (cause.kind === "rule" && cause.isRoutine);
  // What a lost token was to keep, its successor keeps.
  if (cause.kind === "lost" && lacksId(olds)) return { isRoutine, kept: olds.previous };
  const replaced = isRevokedFirst(olds, cause, context) ? undefined : keptToken(olds, news);
  return replaced === undefined ? { isRoutine } : { isRoutine, replaced, kept: olds.previous ?? [] };
}

function refusalOf(
  olds: ExistingToken,
  news: Knowable<DeclaredToken>,
  isReplaced: boolean,
  now: number,
): Cause | undefined {
  const wanted = knownWanted(news, now);
  if (wanted === undefined || !isPast(wanted, now)) return undefined;
  if (isReplaced) return { kind: "refusedValue", wanted };
  const dates = knownDates(news);
  const end = dates && refusedExpiry(olds, dates, now);
  return end === undefined ? undefined : { kind: "refusedDate", end };
}

/**
 * When a rule rotates a token; undefined if none does: a new value must have a known end, and one that has not passed.
 * @param key the user id
 * @param now milliseconds since 1970
 */
export function nextByRule(
  key: string,
  rule: RotationRule,
  dates: Knowable<DeclaredDates>,
  now: number,
): string | undefined {
  const wanted = knownWanted(dates, now);
  return wanted === undefined || isPast(wanted, now) ? undefined : nextRotation(key, rule);
}

/** The dates; undefined while one of them is unknown. */
function knownDates(news: Knowable<DeclaredDates>): DeclaredDates | undefined {
  const { expiresAt, renewBefore, subscriptionExpiresAt, expirationToleranceMonths } = news;
  if (expiresAt === unknown || renewBefore === unknown || subscriptionExpiresAt === unknown) return undefined;
  if (expirationToleranceMonths === unknown) return undefined;
  return { expiresAt, renewBefore, subscriptionExpiresAt, expirationToleranceMonths };
}

/** The declared date, if it is known: `expiresAt`, otherwise the end of the subscription. */
export function knownWanted(
  { expiresAt, subscriptionExpiresAt }: Knowable<DeclaredDates>,
  now: number,
): string | undefined {
  if (expiresAt === unknown) return undefined;
  return declaredDate({ expiresAt, subscriptionExpiresAt: known(subscriptionExpiresAt) }, now);
}

/** Notes in diff whether a rule alone replaces the token: the creation of its successor does not see the old state. */
export function noteRule(cause: Cause, olds: TokenOwner, { notes }: Pick<PlanContext, "notes">): void {
  if (cause.kind === "rule") notes.add(ruleKey(olds));
  else notes.delete(ruleKey(olds));
}

/** Whether a rule alone replaces the token of this person. */
export function isRotatedByRule(owner: TokenOwner, { notes }: Pick<PlanContext, "notes">): boolean {
  return notes.has(ruleKey(owner));
}

function ruleKey(owner: TokenOwner): string {
  return `rotated by a rule: ${personKey(owner)}`;
}

/** Whether time decides about a new token: it replaces one by a rule, or ends after a period. */
export function isIssuedByTime(
  news: TokenOwner & DeclaredDates,
  context: Pick<PlanContext, "notes">,
): boolean {
  return isRotatedByRule(news, context) || periodOf(news) !== undefined;
}

/** Whether time decides about an update. @param revoked the earlier tokens whose time has come */
export function isUpdatedByTime(
  cause: Cause,
  revoked: readonly string[],
  olds: KnownToken,
  news: DeclaredDates,
): boolean {
  return revoked.length > 0 || (cause.kind === "renewal" && isDueByTime(olds, news));
}
