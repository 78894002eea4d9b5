/** Tokens by the days they have left. */
import { type Band, bands, type Report, type ReportedPerson, type ReportedToken } from "./schema.ts";

const DAY_MS = 86_400_000;
const limits: readonly (readonly [Band, number])[] = [
  ["under7", 7],
  ["under30", 30],
  ["under90", 90],
];

/** Whole days until an instant, rounded down: negative once it has passed. @param now milliseconds since 1970 */
export function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS);
}

/** @param now milliseconds since 1970 */
export function reportedToken(
  {
    validUntil,
    expirySource,
  }: { readonly validUntil: string; readonly expirySource: ReportedToken["source"] },
  now: number,
): ReportedToken {
  const daysLeft = daysUntil(validUntil, now);
  return { validUntil, daysLeft, band: bandOf(validUntil, daysLeft, now), source: expirySource };
}

function bandOf(validUntil: string, daysLeft: number, now: number): Band {
  if (Date.parse(validUntil) <= now) return "expired";
  return limits.find(([, days]) => daysLeft < days)?.[0] ?? "more";
}

export function countTokens(people: readonly ReportedPerson[]): Report["tokens"] {
  const tokens = people.flatMap(({ token }) => token ?? []);
  return {
    ...counts(tokens),
    bands: bands.map((band) => ({ band, ...counts(tokens.filter((token) => token.band === band)) })),
  };
}

function counts(tokens: readonly ReportedToken[]) {
  const confirmed = tokens.filter(({ source }) => source === "service").length;
  return { total: tokens.length, confirmed, declared: tokens.length - confirmed };
}
