/** How far this machine's clock differs from the service's (`Date`). Pure: runs, commands, and `orgseat doctor` use it. */
import { counted } from "../../util/text.ts";

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** With a larger difference, a run makes no change that time decides. */
const MOST_SKEW_MS = 10 * 60_000;
const UNITS = [
  { noun: "day", ms: 86_400_000 },
  { noun: "hour", ms: 3_600_000 },
  { noun: "minute", ms: 60_000 },
  { noun: "second", ms: 1000 },
] as const;

/**
 * @param now when the response arrived, by this machine's clock, in milliseconds since 1970
 * @returns in milliseconds, negative if this machine's clock is behind; undefined if the response does not say
 */
export function skewIn(headers: Headers, now: number): number | undefined {
  const date = firstOf(headers.date);
  // A date of HTTP: `Date.parse` reads almost anything.
  const at = /^[A-Z][a-z]+, /.test(date) ? Date.parse(date) : Number.NaN;
  const age = firstOf(headers.age);
  const sentAt = at + (/^\d{1,9}$/.test(age) ? Number(age) * 1000 : 0);
  return Number.isNaN(sentAt) ? undefined : now - sentAt;
}

/** Whether a clock that differs so much must not decide anything. */
export function isTooFar(skewMs: number | undefined): skewMs is number {
  return skewMs !== undefined && Math.abs(skewMs) > MOST_SKEW_MS;
}

/** `this machine's clock is 100 days ahead of the service's`. */
export function describeSkew(skewMs: number): string {
  const size = Math.abs(skewMs);
  const { noun, ms } = UNITS.find((unit) => size >= 2 * unit.ms) ?? UNITS[3];
  return `this machine's clock is ${counted(Math.round(size / ms), noun)} ${skewMs > 0 ? "ahead of" : "behind"} the service's`;
}

/** Why a change is not made, and what to do, without its end. */
export function wrongClockText(skewMs: number): string {
  return `${describeSkew(skewMs)}, so orgseat makes no change that time decides. Correct the clock of this machine`;
}

/** The first value of a header, without blanks; empty without one. */
export function firstOf(header: Headers[string]): string {
  const first = typeof header === "string" ? header : header?.[0];
  return first?.trim() ?? "";
}
