/** What the policies require, as functions of the inputs that the provider has checked. Each returns the violation. */

import { parseDuration } from "../../provider/util/duration.ts";
import { DAY_MS, instantMs, parseInstant } from "../../provider/util/instants.ts";
import { folded } from "../../provider/util/text.ts";

export type Inputs = Readonly<Record<string, unknown>>;

/** Of the longest month. */
const MONTH_MS = 31 * DAY_MS;

/** A token that is adopted by its id has no value that orgseat knows until it is rotated. */
export function unsealed({ recipients, keepValue, adopt, rotateEvery }: Inputs): string | undefined {
  if (recipients !== undefined || keepValue === false) return undefined;
  if (typeof adopt === "string" && rotateEvery === undefined) return undefined;
  return "the state would contain the value of the token unsealed. Set `recipients`, or `keepValue: false`";
}

/**
 * A renewal keeps the value: only a rotation ends it, or a date that no renewal moves.
 * @param days that the value can live @param now in milliseconds since 1970
 */
export function tooLong(inputs: Inputs, days: number, now: number): string | undefined {
  const { rotateEvery, keepPreviousFor = "0d", expiresAt, renewBefore, expirationToleranceMonths } = inputs;
  const longest = days * DAY_MS;
  if (rotateEvery !== undefined && msOf(rotateEvery) + msOf(keepPreviousFor) <= longest) return undefined;
  const end = typeof expiresAt === "string" ? parseInstant(expiresAt) : undefined;
  const tolerance = Number(expirationToleranceMonths ?? 0) * MONTH_MS;
  if (end !== undefined && renewBefore === undefined && instantMs(end) + tolerance - now <= longest)
    return undefined;
  return `the value of the token can live longer than ${days} days. Set \`rotateEvery\`, with \`keepPreviousFor\` at most ${days}d; or a date of the next ${days} days as \`expiresAt\`, without \`renewBefore\``;
}

function msOf(duration: unknown): number {
  return parseDuration(String(duration)) ?? Number.POSITIVE_INFINITY;
}

/** Of an OrgUser. @param emails in any letter case */
export function unprotected(
  { email }: Inputs,
  isProtected: boolean,
  emails: readonly string[],
): string | undefined {
  if (isProtected || !isListed(email, emails)) return undefined;
  return `${email} needs the option \`protect: true\``;
}

/** Of an OrgMember: the option guards it against Pulumi's deletion alone, the input against updates. */
export function unprotectedMember(
  inputs: Inputs,
  isProtected: boolean,
  emails: readonly string[],
): string | undefined {
  const { email } = inputs;
  if (inputs.protected === true || !isListed(email, emails)) return unprotected(inputs, isProtected, emails);
  return isProtected
    ? `${email} needs the input \`protected: true\` too: the option \`protect\` guards against deletion alone`
    : `${email} needs the option \`protect: true\` and the input \`protected: true\``;
}

function isListed(email: unknown, emails: readonly string[]): email is string {
  return typeof email === "string" && emails.some((one) => folded(one) === folded(email));
}
