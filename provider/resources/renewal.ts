/**
 * When a token is renewed, rotated or left unchanged: pure functions of instants (UTC, whole seconds; two within a
 * minute are equal). W is the declared expiry, E the known expiry of the token.
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
 * Whether the explicit expiry is earlier than the previous one and than the token's: a renewal only extends, so the token
 * must be rotated. @param validUntil E
 */
export function isShortened(olds: DeclaredDates, news: DeclaredDates, validUntil: string): boolean {
  const before = wantedExpiry(olds);
  if (news.expiresAt === undefined || before === undefined) return false;
  return isLater(before, news.expiresAt) && isLater(validUntil, news.expiresAt);
}

/** The expiry after the renewal that is due, as declared; undefined where none is due. @param validUntil E */
export function renewedExpiry(validUntil: string, news: DeclaredDates, now: number): string | undefined {
  const wanted = wantedExpiry(news);
  if (wanted !== undefined && isLater(wanted, validUntil)) {
    // A renewal extends to the end of the subscription, whatever expiresAt says.
    return news.subscriptionExpiresAt ?? wanted;
  }
  const subscription = news.subscriptionExpiresAt;
  if (subscription === undefined || news.renewBefore === undefined) return undefined;
  if (!isLater(subscription, validUntil) || now <= windowOpensAt(validUntil, news.renewBefore))
    return undefined;
  return subscription;
}

function windowOpensAt(validUntil: string, renewBefore: string): number {
  return instantMs(validUntil) - (parseDuration(renewBefore) ?? 0);
}

/** `expires at …, in 12 days`, or `expired at …`; undefined where the token expires in 30 days or later. */
export function expiringSoon(validUntil: string, now: number): string | undefined {
  const days = Math.floor((instantMs(validUntil) - now) / DAY_MS);
  if (days >= SOON_DAYS) return undefined;
  return days < 0 ? `expired at ${validUntil}` : `expires at ${validUntil}, in ${counted(days, "day")}`;
}

/** Whether an instant has passed. */
export function isPast(instant: string, now: number): boolean {
  return !isLater(instant, formatInstant(now));
}
