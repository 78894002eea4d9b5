/**
 * Whether a list of users that lacks managed people shows that they are gone: the one rule of refreshes, directories,
 * adoptions, and reports. An account without rights sees the administrator alone, so many missing people show nothing.
 * Pure.
 */
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { isSameText } from "../../api/schemas/user-names.ts";
import { counted, countedPeople } from "../../util/text.ts";
import { REMOVAL_BOUNDS, REMOVAL_SHARE, removalLimit } from "./removal.ts";

/** What a run knows beside the list. */
export interface Lacking {
  /** How many managed people the list lacks. */
  readonly missing: number;
  /** How many people are managed, those included; if the run cannot know, at most. */
  readonly managed: number;
  /** A limit that the user has set for this run. */
  readonly most?: number | undefined;
  /** The email of the administrator whose credentials the run has, if it has any. */
  readonly administrator?: string | undefined;
}

/** Why the list shows nothing about the people whom it lacks; undefined if it shows that they are gone. */
export function doubtOf(
  users: readonly Pick<ListedUser, "email">[],
  { missing, managed, most, administrator }: Lacking,
): string | undefined {
  if (missing === 0) return undefined;
  const has = counted(users.length, "user");
  const lacks = `it has ${has} and lacks ${countedPeople(missing)} of the state`;
  const isThere =
    administrator === undefined || users.some(({ email }) => isSameText(email ?? "", administrator));
  if (!isThere) return `${lacks}, and ${administrator}, the administrator in the configuration`;
  const limit = most ?? removalLimit(managed);
  if (missing <= limit) return undefined;
  const rule = most === undefined ? `${REMOVAL_SHARE}, ${REMOVAL_BOUNDS}` : "set for this run";
  return `${lacks} (limit ${limit}: ${rule})`;
}

interface Limits {
  readonly maxRemovals?: number | undefined;
  readonly allowedRemovals: { readonly organizationId: string; readonly people: number } | undefined;
}

/** The limit that the user has set for an organization; undefined if none. */
export function mostMissing(
  { maxRemovals, allowedRemovals }: Limits,
  organizationId: string,
): number | undefined {
  return allowedRemovals?.organizationId === organizationId ? allowedRemovals.people : maxRemovals;
}
