/**
 * Dates of the contract: RFC 3339 with any offset, or a date, which means the end of that day in UTC. orgseat stores and
 * prints UTC timestamps in whole seconds. Two timestamps within a minute of each other are equal.
 */

export const DAY_MS = 86_400_000;
/** How long a token can outlive its date: ten years, as the longest period of a rotation. The service has no limit. */
export const MOST_TOLERANCE_MONTHS = 120;
const SAME_WITHIN_MS = 60_000;
const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** The form of a timestamp, for messages. */
export const INSTANT_FORM = "a date such as 2027-06-30, or a timestamp such as 2027-06-30T12:00:00Z";

/**
 * Parses a date or a timestamp.
 * @returns the timestamp in UTC with whole seconds (`2027-06-30T23:59:59Z`), or undefined for an invalid one, such as
 *   `2026-02-30`
 */
export function parseInstant(text: string): string | undefined {
  const match = PATTERN.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "00", offset] = match;
  if (!isDay(Number(year), Number(month), Number(day)) || Number(hour ?? 0) > 23) return undefined;
  if (hour === undefined) return `${year}-${month}-${day}T23:59:59Z`;
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset?.toUpperCase()}`;
  if (instant.endsWith("Z") && Number(minute) < 60 && Number(second) < 60) return instant;
  const at = Date.parse(instant);
  return Number.isNaN(at) ? undefined : formatInstant(at);
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** The stored form: UTC, whole seconds. @param at milliseconds since 1970 */
export function formatInstant(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** Milliseconds since 1970 of a timestamp in the stored form. */
export function instantMs(instant: string): number {
  return Date.parse(instant);
}

/** Whether `a` is more than a minute later than `b`. */
export function isLater(a: string, b: string): boolean {
  return instantMs(a) - instantMs(b) > SAME_WITHIN_MS;
}

/** `2026-12-31` for the end of that day, otherwise the timestamp as it is. */
export function shortInstant(instant: string): string {
  return instant.replace(/T23:59:59Z$/, "");
}

/** The clock of the client; tests pass one that does not wait. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970, to compare with dates of the service. */
  now(): number;
  /** Monotonic time in milliseconds, on the scale of `Operation.deadline`. */
  monotonic(): number;
  /** Waits between two attempts. Timeouts of running requests are real timers instead. */
  sleep(ms: number): Promise<void>;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
