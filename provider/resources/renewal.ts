/**
 * When a token is renewed, reissued or left alone: pure decisions over instants (UTC, whole seconds; two within a
 * minute are the same). S is the declared end of the subscription, W the wanted expiry, E the expiry the token has
 * as far as is known.
 */
import { formatInstant, instantMs, isLater } from "../api/instants.ts";
import { parseDuration } from "../util/duration.ts";
import { counted } from "../util/plural.ts";

/** The dates a program declares for a token. */
export interface DeclaredDates {
  readonly expiresAt?: string | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
  readonly renewBefore?: string | undefined;
}

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** W: the explicit expiry, else the subscription's end. */
export function wantedExpiry(dates: DeclaredDates): string | undefined {
  return dates.expiresAt ?? dates.subscriptionExpiresAt;
}

/**
 * Whether the explicit expiry is earlier than the one before, and the token lives longer than that: call 8 only
 * extends, so the token is issued anew. @param validUntil E
 */
export function isShortened(olds: DeclaredDates, news: DeclaredDates, validUntil: string): boolean {
  const before = wantedExpiry(olds);
  if (news.expiresAt === undefined || before === undefined) return false;
  return isLater(before, news.expiresAt) && isLater(validUntil, news.expiresAt);
}

/** Why call 8 is due, in words for the preview; undefined where it is not. @param validUntil E */
export function renewalReason(validUntil: string, news: DeclaredDates, now: number): string | undefined {
  const wanted = wantedExpiry(news);
  if (wanted !== undefined && isLater(wanted, validUntil)) {
    return news.expiresAt === undefined
      ? `the subscription now runs to ${wanted}`
      : `expiresAt now is ${wanted}`;
  }
  const subscription = news.subscriptionExpiresAt;
  if (subscription === undefined || news.renewBefore === undefined) return undefined;
  if (!isLater(subscription, validUntil) || now <= windowOpensAt(validUntil, news.renewBefore))
    return undefined;
  return `it ends within ${news.renewBefore} (renewBefore) and the subscription runs to ${subscription}`;
}

function windowOpensAt(validUntil: string, renewBefore: string): number {
  return instantMs(validUntil) - (parseDuration(renewBefore) ?? 0);
}

/** A sentence for a token that ends soon or has ended while nothing declared would renew it. */
export function endingSoon(validUntil: string, now: number): string | undefined {
  const days = Math.floor((instantMs(validUntil) - now) / DAY_MS);
  if (days >= SOON_DAYS) return undefined;
  return days < 0 ? `ended at ${validUntil}` : `ends at ${validUntil}, in ${counted(days, "day")}`;
}

/** Whether an instant has passed. */
export function isPast(instant: string, now: number): boolean {
  return !isLater(instant, formatInstant(now));
}
