/**
 * An override allows one run to pass a guard: it contains the hash of the exact list of removals, and expires. It prevents
 * accidents, not abuse: a person who can write a roster can compute one.
 */

import { createHash } from "node:crypto";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { formatInstant, instantMs } from "../../../provider/util/instants.ts";
import type { Removal } from "../plan.ts";

/** The validity of a printed override. */
const VALID_MS = 3_600_000;
/** The maximum validity of an accepted override, so that no one keeps a permanent one. */
const MAXIMUM_MS = 24 * 3_600_000;

/** What a value of `--approve` says of a list of removals. */
export interface Approval {
  /** The value that allows exactly these. */
  readonly pass: string;
  /** Whether the caller gave a valid one. */
  readonly isGiven: boolean;
  /** Why the given one is not valid, as a sentence after others; empty if it is, or if there is none. */
  readonly refusal: string;
}

/** @param override as it was given @param now milliseconds since 1970 @throws for invalid text */
export function approvalOf(
  override: string | undefined,
  organizationId: string,
  removals: readonly Removal[],
  now: number,
): Approval {
  const until = formatInstant(now + VALID_MS);
  const pass = `${hashOf(organizationId, removals, until)}@${until}`;
  const error = override === undefined ? undefined : overrideError(override, organizationId, removals, now);
  const refusal = error === undefined ? "" : ` The value of --approve is not valid: ${error}.`;
  return { pass, isGiven: override !== undefined && error === undefined, refusal };
}

const FORM = /^(?<hash>[0-9a-f]{16})@(?<until>[^@]+)$/;

/** @throws for invalid text, even if the plan needs no override */
export function readOverride(override: string): { hash: string; until: string } {
  const { hash, until } = FORM.exec(override)?.groups ?? {};
  if (hash !== undefined && until !== undefined && !Number.isNaN(instantMs(until))) return { hash, until };
  throw new CodedError(
    "invalid-flag",
    `invalid --approve ${override}: copy the whole value that the refused run printed, <hash>@<timestamp>`,
  );
}

/** Why an override does not allow a list of removals; undefined if it does. */
function overrideError(
  override: string,
  organizationId: string,
  removals: readonly Removal[],
  now: number,
): string | undefined {
  const { hash, until } = readOverride(override);
  if (instantMs(until) <= now) return `it expired at ${until}`;
  if (instantMs(until) > now + MAXIMUM_MS) return "it is valid for longer than a day";
  return hash === hashOf(organizationId, removals, until)
    ? undefined
    : "it is for a different list of removals, so the plan has changed since then";
}

function hashOf(organizationId: string, removals: readonly Removal[], until: string): string {
  const list = removals.map(({ operation, id }) => `${operation} ${id}`);
  return createHash("sha256")
    .update([organizationId, until, ...list].join("\n"))
    .digest("hex")
    .slice(0, 16);
}
