/**
 * When a token is renewed, rotated or left unchanged: pure functions of timestamps (UTC, whole seconds; two within a
 * minute are equal). W is the declared expiry, E the known expiry of the token.
 */

import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { parseDuration } from "../../util/duration.ts";
import { DAY_MS, formatInstant, instantMs, isLater } from "../../util/instants.ts";
import { counted } from "../../util/text.ts";

/** The dates a program declares for a token. */
export interface DeclaredDates {
  readonly expiresAt?: string | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
  readonly renewBefore?: string | undefined;
  /** How long the token stays valid after the declared date: part of its expiry. */
  readonly expirationToleranceMonths?: number | undefined;
}

/** A token with the dates that were declared for it. */
export interface KnownToken extends DeclaredDates {
  /** E. */
  readonly validUntil: string;
  /** Known only if a renewal can set any date, and so can move the expiry back. */
  readonly tokenId?: string | null | undefined;
  /** The wanted expiry that the service answered with an earlier one, and when. */
  readonly limit?: { readonly wanted: string; readonly since: string } | undefined;
}

/** A renewal to make. */
export interface DueRenewal {
  /** The expiry after it, tolerance included, as declared. */
  readonly until: string;
  /** The date to request; undefined: the end of the subscription. */
  readonly expiresAt?: string | undefined;
}

const SOON_DAYS = 30;

/** W: the explicit expiry, otherwise the subscription's end; with the tolerance. */
export function wantedExpiry(dates: DeclaredDates): string | undefined {
  return withTolerance(dates.expiresAt ?? dates.subscriptionExpiresAt, dates);
}

/** The end of the subscription with the tolerance. */
export function longestExpiry(dates: DeclaredDates): string | undefined {
  return withTolerance(dates.subscriptionExpiresAt, dates);
}

/**
 * Whether an expiry is the expected one. Services differ about the day in a shorter month: the last one, or up to three
 * days later in the next.
 * @param expected by `wantedExpiry` or `longestExpiry` of the same dates
 */
export function isExpected(
  expiry: string,
  expected: string,
  { expirationToleranceMonths: months = 0 }: DeclaredDates,
): boolean {
  const latest = months === 0 ? expected : formatInstant(instantMs(expected) + 3 * DAY_MS);
  return !isLater(expected, expiry) && !isLater(expiry, latest);
}

/** Selects the tokens that expire as declared, or with the subscription, or at an unreadable date, which may be the same. */
export function hasWantedExpiry(dates: DeclaredDates): (token: ListedToken) => boolean {
  const wanted = [wantedExpiry(dates), longestExpiry(dates)].filter((at) => at !== undefined);
  return ({ expires_at }) =>
    expires_at === undefined || wanted.some((at) => isExpected(expires_at, at, dates));
}

/** Months later on the same day, or on the last day of a shorter month. */
function withTolerance(
  instant: string | undefined,
  { expirationToleranceMonths: months = 0 }: DeclaredDates,
): string | undefined {
  if (instant === undefined || months === 0) return instant;
  const date = new Date(instantMs(instant));
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return formatInstant(date.getTime());
}

/**
 * Whether the explicit expiry is earlier than the previous one and than the token's: a renewal only extends, so the token
 * must be rotated. @param validUntil E
 */
export function isShortened(olds: DeclaredDates, news: DeclaredDates, validUntil: string): boolean {
  const before = wantedExpiry(olds);
  const wanted = wantedExpiry(news);
  if (news.expiresAt === undefined || before === undefined || wanted === undefined) return false;
  return isLater(before, wanted) && isLater(validUntil, wanted);
}

/** The explicit expiry that shortens the token and has passed: no run sets it. */
export function refusedExpiry(
  olds: DeclaredDates,
  news: DeclaredDates,
  validUntil: string,
  now: number,
): string | undefined {
  const wanted = wantedExpiry(news);
  return wanted !== undefined && isShortened(olds, news, validUntil) && isPast(wanted, now)
    ? wanted
    : undefined;
}

/** The renewal that is due; undefined if none is. @param olds the token, with its previous dates */
export function dueRenewal(olds: KnownToken, news: DeclaredDates, now: number): DueRenewal | undefined {
  const { validUntil, tokenId } = olds;
  const wanted = wantedExpiry(news);
  const subscription = longestExpiry(news);
  const canSetDate = typeof tokenId === "string";
  const isWanted = (at: string): boolean => isLater(at, validUntil) && !isAnswered(olds, at, now);
  if (wanted !== undefined && (isWanted(wanted) || (canSetDate && isMovedBack(olds, news, now)))) {
    return canSetDate && news.expiresAt !== undefined
      ? { until: wanted, expiresAt: news.expiresAt }
      : // Another renewal extends to the end of the subscription, whatever expiresAt says.
        { until: subscription ?? wanted };
  }
  if (subscription === undefined || news.renewBefore === undefined) return undefined;
  if (!isWanted(subscription) || now <= windowOpensAt(validUntil, news.renewBefore)) return undefined;
  return { until: subscription };
}

/** Whether the service set an earlier expiry for this one, and less than half of the time since then has passed. */
function isAnswered({ limit, validUntil }: KnownToken, wanted: string, now: number): boolean {
  if (limit?.wanted !== wanted) return false;
  const since = instantMs(limit.since);
  return now < since + (instantMs(validUntil) - since) / 2;
}

/** Whether a token expires later than declared, and not because it was renewed before its date. */
function isMovedBack(olds: KnownToken, news: DeclaredDates, now: number): boolean {
  const wanted = wantedExpiry(news);
  if (wanted === undefined || !isLater(olds.validUntil, wanted) || isPast(wanted, now)) return false;
  if (news.expiresAt === undefined)
    return (olds.expirationToleranceMonths ?? 0) !== (news.expirationToleranceMonths ?? 0);
  if (isShortened(olds, news, olds.validUntil)) return true;
  return news.renewBefore === undefined && !isExpected(olds.validUntil, wanted, news);
}

function windowOpensAt(validUntil: string, renewBefore: string): number {
  return instantMs(validUntil) - (parseDuration(renewBefore) ?? 0);
}

/** `expires at …, in 12 days`, or `expired at …`; undefined if the token expires in 30 days or later. */
export function expiringSoon(validUntil: string, now: number): string | undefined {
  const days = Math.floor((instantMs(validUntil) - now) / DAY_MS);
  if (days >= SOON_DAYS) return undefined;
  return days < 0 ? `expired at ${validUntil}` : `expires at ${validUntil}, in ${counted(days, "day")}`;
}

/** Whether a timestamp has passed. */
export function isPast(instant: string, now: number): boolean {
  return !isLater(instant, formatInstant(now));
}
