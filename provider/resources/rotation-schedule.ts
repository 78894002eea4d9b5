/**
 * When a secret is rotated on a schedule (`rotateEvery`): pure functions. Each secret has a fixed phase in the period, so the
 * rotations of many secrets spread evenly. Its slots are phase + k * period since 1970, in whole seconds.
 */
import { createHash } from "node:crypto";
import { DURATION_FORM, durationSchema, parseDuration } from "../util/duration.ts";
import { DAY_MS, formatInstant, instantMs } from "../util/instants.ts";

/** The rule for a secret, and when the secret was issued. */
export interface RotationRule {
  readonly rotateEvery?: string | undefined;
  /** A timestamp; undefined while unknown. */
  readonly issuedAt?: string | undefined;
}

const LONGEST_MS = 3650 * DAY_MS;

/** How long a rotation keeps what it replaces. */
export const keepPreviousForSchema = durationSchema.refine(
  (text) => (parseDuration(text) ?? 0) <= LONGEST_MS,
  "longer than 3650d",
);

/** What a rotation replaced, and what keeps working until this timestamp. */
export interface Previous {
  readonly removeAfter: string;
}

/** Until when a rotation keeps what it replaces. @param sentAt a timestamp: a plan can be applied long after it was made */
export function keptUntil(keepPreviousFor: string, sentAt: string): string {
  return formatInstant(instantMs(sentAt) + (parseDuration(keepPreviousFor) ?? 0));
}

/** What a later run removes now. @param now milliseconds since 1970 */
export function duePrevious<Kept extends Previous>(previous: readonly Kept[], now: number): Kept[] {
  return previous.filter(({ removeAfter }) => instantMs(removeAfter) <= now);
}

/** The form of a period, for messages. */
export const PERIOD_FORM = `${DURATION_FORM}, from 1d to 3650d`;

/** @returns milliseconds; undefined for a text that is not a period */
export function parsePeriod(text: string): number | undefined {
  const period = parseDuration(text);
  return period !== undefined && period >= DAY_MS && period <= LONGEST_MS ? period : undefined;
}

/** The key of a service account: its client id changes with each rotation. */
export function accountScheduleKey(organizationId: string, name: string): string {
  return `${organizationId}/${name}`;
}

/**
 * The first slot after the issue; undefined without a rule, or while the issue is unknown.
 * @param key what keeps its value over rotations, such as a user id
 */
export function nextRotation(key: string, { rotateEvery, issuedAt }: RotationRule): string | undefined {
  const period = rotateEvery === undefined ? undefined : parsePeriod(rotateEvery);
  if (period === undefined || issuedAt === undefined) return undefined;
  const seconds = Math.floor(period / 1000);
  const phase = createHash("sha256").update(key).digest().readUIntBE(0, 6) % seconds;
  const passed = Math.floor((instantMs(issuedAt) / 1000 - phase) / seconds);
  return formatInstant((phase + (passed + 1) * seconds) * 1000);
}

/** Whether a slot lies after the issue and not after now. @param now milliseconds since 1970 */
export function isRotationDue(key: string, rule: RotationRule, now: number): boolean {
  return hasCome(nextRotation(key, rule), now);
}

/** Whether there is a slot, and it is not after now. @param now milliseconds since 1970 */
export function hasCome(slot: string | null | undefined, now: number): boolean {
  return typeof slot === "string" && instantMs(slot) <= now;
}

/** When a secret was issued. The age of one whose issue is unknown starts when a rule needs it. @param now milliseconds since 1970 */
export function issuedAtOf(
  { issuedAt }: RotationRule,
  { rotateEvery }: { readonly rotateEvery?: unknown },
  now: number,
): string | undefined {
  return issuedAt ?? (rotateEvery === undefined ? undefined : formatInstant(now));
}

/** `rotateEvery 90d, issued 2026-08-20`. @param name of the rule where the reader declares it */
export function describeRule({ rotateEvery, issuedAt }: RotationRule, name = "rotateEvery"): string {
  return `${name} ${rotateEvery}, issued ${issuedAt?.slice(0, 10)}`;
}
