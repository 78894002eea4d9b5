/** Durations in configuration and programs: `30d`, `12h`, `90s`. */
import { z } from "zod";

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PATTERN = /^(\d{1,9})\s*(ms|s|m|h|d)$/;

/** The form of a duration, for messages. */
export const DURATION_FORM = "a number with a unit (ms, s, m, h, or d), such as 30s, 12h, or 30d";

/** @returns milliseconds; undefined for an invalid text */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ""] = PATTERN.exec(text.trim()) ?? [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

/** A duration, validated, as text. */
export const durationSchema = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, `not ${DURATION_FORM}`);
