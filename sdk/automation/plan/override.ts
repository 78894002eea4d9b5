/**
 * An override lets one run go past a guard: it names the exact list of removals by its hash, and expires. It keeps
 * accidents out, not people: whoever can write a roster can compute one.
 */
import { createHash } from "node:crypto";
import { formatInstant, instantMs } from "../../../provider/api/instants.ts";
import type { Removal } from "./removals.ts";

/** How long a printed override lasts. */
const LASTS_MS = 3_600_000;
/** The longest that one is honoured: a standing override is none. */
const LONGEST_MS = 24 * 3_600_000;

/** The override for a list, to be typed or pasted. @param now milliseconds since 1970 */
export function overrideFor(organizationId: string, removals: readonly Removal[], now: number): string {
  const until = formatInstant(now + LASTS_MS);
  return `${hashOf(organizationId, removals, until)}@${until}`;
}

const FORM = /^(?<hash>[0-9a-f]{16})@(?<until>[^@]+)$/;

/** @throws where it is none: what is mistyped is told where none is needed, too */
export function readOverride(override: string): { hash: string; until: string } {
  const { hash, until } = FORM.exec(override)?.groups ?? {};
  if (hash !== undefined && until !== undefined && !Number.isNaN(instantMs(until))) return { hash, until };
  throw new Error(
    `--allow-removals ${override} is none: copy the whole of what a stopped run printed, <hash>@<instant>`,
  );
}

/** Why an override does not let a list pass; undefined where it does. @param now milliseconds since 1970 */
export function overrideError(
  override: string,
  organizationId: string,
  removals: readonly Removal[],
  now: number,
): string | undefined {
  const { hash, until } = readOverride(override);
  if (instantMs(until) <= now) return `it expired at ${until}`;
  if (instantMs(until) > now + LONGEST_MS) return "it lasts longer than a day";
  return hash === hashOf(organizationId, removals, until)
    ? undefined
    : "it was made for another list of removals, so the plan has changed since";
}

function hashOf(organizationId: string, removals: readonly Removal[], until: string): string {
  const list = removals.map(({ type, id }) => `${type} ${id}`);
  return createHash("sha256")
    .update([organizationId, until, ...list].join("\n"))
    .digest("hex")
    .slice(0, 16);
}
