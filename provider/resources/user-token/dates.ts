/**
 * When a token is renewed, rotated or left unchanged: pure functions of timestamps (UTC, whole seconds; two within a
 * minute are equal). W is the declared expiry, E the known expiry of the token.
 */

import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { parseDuration } from "../../util/duration.ts";
import {
  DAY_MS,
  formatInstant,
  INSTANT_FORM,
  instantMs,
  isLater,
  parseInstant,
} from "../../util/instants.ts";
import { counted } from "../../util/text.ts";
import { parsePeriod } from "../rotation-schedule.ts";

/** The dates a program declares for a token. */
export interface DeclaredDates {
  /** A timestamp, or a period such as `90d`, which begins when a run requests it. */
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
  /** What was requested, and when: a period, or a date that the service answered with an earlier one. */
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

/** The form of a period as an expiry, and of an expiry, for messages. */
export const EXPIRY_PERIOD = "a period such as 90d, from 1d to 3650d";
export const EXPIRY_FORM = `${INSTANT_FORM}; or ${EXPIRY_PERIOD}`;

/** @returns a timestamp, or a period as it is; undefined for another text */
export function parseExpiry(text: string): string | undefined {
  return parsePeriod(text) === undefined ? parseInstant(text) : text.trim();
}

/** The length of a declared period in milliseconds; undefined for a date. */
export function periodOf({ expiresAt }: Pick<DeclaredDates, "expiresAt">): number | undefined {
  return expiresAt === undefined ? undefined : parsePeriod(expiresAt);
}

/**
 * The explicit expiry, otherwise the subscription's end. A period ends with the subscription: it must not become wrong only
 * because time passes. @param at when a declared period begins, in milliseconds since 1970
 */
export function declaredDate(dates: DeclaredDates, at: number): string | undefined {
  const { expiresAt, subscriptionExpiresAt: end } = dates;
  const period = periodOf(dates);
  if (period === undefined) return expiresAt ?? end;
  const date = formatInstant(at + period);
  return end !== undefined && isLater(date, end) ? end : date;
}

/** W: the declared date with the tolerance. @param at when a declared period begins */
export function wantedExpiry(dates: DeclaredDates, at: number): string | undefined {
  return withTolerance(declaredDate(dates, at), dates);
}

/** The `expiresAt` that a token of this end means: without one it means the end of the subscription. */
export function ownExpiry(end: string | undefined, subscriptionExpiresAt: string | undefined) {
  if (end === undefined || subscriptionExpiresAt === undefined) return end;
  return isLater(subscriptionExpiresAt, end) ? end : undefined;
}

/** What a state remembers as requested: the period, which has another date in each run, or the date. */
export function requestOf(dates: DeclaredDates, wanted: string): string {
  const { expiresAt, expirationToleranceMonths: months = 0 } = dates;
  if (expiresAt === undefined || periodOf(dates) === undefined) return wanted;
  return months === 0 ? expiresAt : `${expiresAt} + ${months} months`;
}

/** The end of the subscription with the tolerance. */
function longestExpiry(dates: DeclaredDates): string | undefined {
  return withTolerance(dates.subscriptionExpiresAt, dates);
}

/**
 * Whether an expiry is the expected one. Services differ about the day in a shorter month: the last one, or up to three
 * days later in the next. The end of a period has any time of day, which a service may round up.
 * @param expected by `wantedExpiry` or `longestExpiry` of the same dates
 */
export function isExpected(expiry: string, expected: string, dates: DeclaredDates): boolean {
  const days = dates.expirationToleranceMonths ? 3 : periodOf(dates) === undefined ? 0 : 1;
  const latest = formatInstant(instantMs(expected) + days * DAY_MS);
  return !isLater(expected, expiry) && !isLater(expiry, latest);
}

/**
 * Selects the tokens that expire as declared, or with the subscription, or at an unreadable date, which may be the same.
 * @param dates with `validUntil`, if a run has requested it @param at when a declared period begins
 */
export function hasWantedExpiry(
  dates: DeclaredDates & Partial<Pick<KnownToken, "validUntil">>,
  at: number,
): (token: ListedToken) => boolean {
  const all = [wantedExpiry(dates, at), longestExpiry(dates), dates.validUntil];
  const wanted = all.filter((one) => one !== undefined);
  return ({ expires_at }) =>
    expires_at === undefined || wanted.some((one) => isExpected(expires_at, one, dates));
}

/** Selects the tokens that an earlier run may have issued: with a declared period, each up to the end that it has now. */
export function mayBeIssuedEarlier(dates: DeclaredDates, now: number): (token: ListedToken) => boolean {
  const latest = wantedExpiry(dates, now);
  const isWanted = hasWantedExpiry(dates, now);
  if (periodOf(dates) === undefined || latest === undefined) return isWanted;
  return (token) => isWanted(token) || (token.expires_at !== undefined && !isLater(token.expires_at, latest));
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

/** The expiry that was declared for a token; of a period, the one that it got. */
function previousExpiry(olds: KnownToken, now: number): string | undefined {
  return periodOf(olds) === undefined ? wantedExpiry(olds, now) : olds.validUntil;
}

/**
 * Whether the explicit expiry is earlier than the previous one and than the token's: a renewal only extends, so the token
 * must be rotated.
 */
export function isShortened(olds: KnownToken, news: DeclaredDates, now: number): boolean {
  const before = previousExpiry(olds, now);
  const wanted = wantedExpiry(news, now);
  if (news.expiresAt === undefined || before === undefined || wanted === undefined) return false;
  // The same period ends later in each run.
  if (periodOf(news) !== undefined && news.expiresAt === olds.expiresAt) return false;
  return isLater(before, wanted) && isLater(olds.validUntil, wanted);
}

/** The explicit expiry that shortens the token and has passed: no run sets it. */
export function refusedExpiry(olds: KnownToken, news: DeclaredDates, now: number): string | undefined {
  const wanted = wantedExpiry(news, now);
  const isRefused = wanted !== undefined && isShortened(olds, news, now) && isPast(wanted, now);
  return isRefused ? wanted : undefined;
}

/** The renewal that is due; undefined if none is. @param olds the token, with its previous dates */
export function dueRenewal(olds: KnownToken, news: DeclaredDates, now: number): DueRenewal | undefined {
  const { validUntil, tokenId } = olds;
  const wanted = wantedExpiry(news, now);
  const subscription = longestExpiry(news);
  const canSetDate = typeof tokenId === "string";
  const isWanted = (at: string): boolean => isLater(at, validUntil) && !isAnswered(olds, news, at, now);
  if (wanted !== undefined && (isWanted(wanted) || (canSetDate && isMovedBack(olds, news, now)))) {
    return canSetDate && news.expiresAt !== undefined
      ? { until: wanted, expiresAt: declaredDate(news, now) }
      : // Another renewal extends to the end of the subscription, whatever expiresAt says.
        { until: subscription ?? wanted };
  }
  if (subscription === undefined || news.renewBefore === undefined) return undefined;
  if (!isWanted(subscription) || now <= windowOpensAt(validUntil, news.renewBefore)) return undefined;
  return { until: subscription };
}

/** Whether a renewal is due only because time has passed, or requests a date that depends on the time. */
export function isDueByTime(olds: KnownToken, news: DeclaredDates): boolean {
  return dueRenewal(olds, news, 0) === undefined;
}

/**
 * Whether the same was requested before, and less than half of the time has passed that the service granted then, or of the
 * period if it granted more.
 */
function isAnswered(
  { limit, validUntil }: KnownToken,
  news: DeclaredDates,
  wanted: string,
  now: number,
): boolean {
  if (limit === undefined || limit.wanted !== requestOf(news, wanted)) return false;
  const since = instantMs(limit.since);
  const granted = instantMs(validUntil) - since;
  return now < since + Math.min(granted, periodOf(news) ?? granted) / 2;
}

/** Whether a token expires later than declared, and not because it was renewed before its date. */
function isMovedBack(olds: KnownToken, news: DeclaredDates, now: number): boolean {
  const wanted = wantedExpiry(news, now);
  if (wanted === undefined || !isLater(olds.validUntil, wanted) || isPast(wanted, now)) return false;
  if (news.expiresAt === undefined)
    return (olds.expirationToleranceMonths ?? 0) !== (news.expirationToleranceMonths ?? 0);
  if (isShortened(olds, news, now)) return true;
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
