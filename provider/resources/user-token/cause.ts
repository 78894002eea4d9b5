/** What happens to an existing token, and why. Pure. */
import { hasCome, nextRotation, type RotationRule } from "../rotation-schedule.ts";
import {
  type DeclaredDates,
  type DueRenewal,
  declaredDate,
  dueRenewal,
  isPast,
  isShortened,
  type KnownToken,
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

/** The input whose change needs a new token, because the old value is sealed for others, or unknown. */
function formOf(
  olds: Keeping,
  { recipients = [], keepValue }: Keeping,
): "recipients" | "keepValue" | undefined {
  if (recipientsIn(olds.recipients ?? []).join() !== recipientsIn(recipients).join()) return "recipients";
  return olds.keepValue === false && keepValue !== false ? "keepValue" : undefined;
}

/** What is declared of a token. */
export interface DeclaredToken extends DeclaredDates, Keeping {
  readonly userId: string;
  readonly rotation?: string | undefined;
  readonly rotateEvery?: string | undefined;
}

/** The token of a state. */
export interface ExistingToken extends DeclaredToken, KnownToken, RotationRule {
  readonly isLost?: boolean | undefined;
}

/** In order of precedence. */
export type Cause =
  /** A new value would be expired at once: nothing is revoked. */
  | { readonly kind: "refusedValue"; readonly wanted: string }
  /** The earlier date has passed. */
  | { readonly kind: "refusedDate"; readonly end: string }
  /** `form`: what the state keeps of the value. */
  | { readonly kind: "replaced"; readonly form: "recipients" | "keepValue" | undefined }
  /** The response of its creation was lost, or the service has ended it while it keeps earlier ones. */
  | { readonly kind: "lost" }
  /** `isRoutine`: the rule was in force before this run. */
  | { readonly kind: "rule"; readonly isRoutine: boolean }
  /** A renewal of this service can only extend. */
  | { readonly kind: "shortened" }
  | { readonly kind: "renewal"; readonly due: DueRenewal }
  | { readonly kind: "kept" };

interface CauseFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a renewal can set any date. */
  readonly canSetExpiry: boolean;
  /** Whether this run may replace the token because a slot of its rule has passed. */
  readonly mayRotate: boolean;
}

export function causeOf(
  olds: ExistingToken,
  news: DeclaredToken,
  { now, canSetExpiry, mayRotate }: CauseFacts,
): Cause {
  const form = formOf(olds, news);
  const isReplaced = form !== undefined || olds.rotation !== news.rotation;
  const refused = refusalOf(olds, news, isReplaced, now);
  if (refused !== undefined) return refused;
  if (isReplaced) return { kind: "replaced", form };
  if (olds.isLost) return { kind: "lost" };
  const rule = { rotateEvery: news.rotateEvery, issuedAt: olds.issuedAt };
  if (mayRotate && hasCome(nextByRule(olds.userId, rule, news, now), now))
    return { kind: "rule", isRoutine: olds.rotateEvery === rule.rotateEvery };
  if (isShortened(olds, news, now) && !canSetExpiry) return { kind: "shortened" };
  const due = dueRenewal(olds, news, now);
  return due === undefined ? { kind: "kept" } : { kind: "renewal", due };
}

function refusalOf(
  olds: ExistingToken,
  news: DeclaredToken,
  isReplaced: boolean,
  now: number,
): Cause | undefined {
  const wanted = declaredDate(news, now);
  if (wanted === undefined || !isPast(wanted, now)) return undefined;
  if (isReplaced) return { kind: "refusedValue", wanted };
  const end = refusedExpiry(olds, news, now);
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
  dates: DeclaredDates,
  now: number,
): string | undefined {
  const wanted = declaredDate(dates, now);
  return wanted === undefined || isPast(wanted, now) ? undefined : nextRotation(key, rule);
}
