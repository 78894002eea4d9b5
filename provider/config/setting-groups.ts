/**
 * Implements one rule: the addresses and credentials of an area form one group, which comes from one source. Otherwise,
 * a change of one source could redirect the credential of the other.
 */

import type { Area } from "../api/calls/call.ts";

export interface Group {
  readonly addresses: readonly string[];
  /** The keys of each credential. */
  readonly credentials: readonly (readonly string[])[];
}

const groups: Readonly<Record<Area, Group>> = {
  organization: {
    addresses: ["orgUrl", "tokenUrl"],
    credentials: [["clientId", "clientSecret"], ["username", "password"], ["adminToken"]],
  },
  model: { addresses: ["modelUrl"], credentials: [["apiKey"]] },
};

export const areas: readonly Area[] = ["organization", "model"];

export function keysOf(area: Area): readonly string[] {
  return keysIn(groups[area]);
}

export function keysIn({ addresses, credentials }: Group): readonly string[] {
  return [...addresses, ...credentials.flat()];
}

export function groupOf(area: Area): Group {
  return groups[area];
}

/** The keys of each credential of an area. */
export function credentialsOf(area: Area): Group["credentials"] {
  return groups[area].credentials;
}

/** The area of an address or credential; undefined for other keys. */
export function areaOfKey(key: string): Area | undefined {
  return areas.find((area) => keysOf(area).includes(key));
}

/** The environment variable of a key: `ORGSEAT_ORG_URL` of `orgUrl`. */
export function environmentName(key: string): string {
  return `ORGSEAT_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The keys with values. */
type Source = Pick<ReadonlySet<string>, "has">;

/**
 * The source of a group. The preferred one counts as a whole if it has all that requests need (the addresses and
 * a credential), or if the other one has no value that it lacks. Without any value in it, the other one counts.
 */
export function sourceOf(group: Group, preferred: Source, other: Source): "preferred" | "other" | "mixed" {
  const keys = keysIn(group);
  if (isComplete(group, preferred) || keys.every((key) => preferred.has(key) || !other.has(key)))
    return "preferred";
  return keys.some((key) => preferred.has(key)) ? "mixed" : "other";
}

/**
 * The keys that requests need and a source lacks: the addresses, and those of one credential, which is the first one, or
 * one that the source has in part.
 */
export function lacking({ addresses, credentials }: Group, source: Source): readonly string[] {
  const lackedOf = (keys: readonly string[]) => keys.filter((key) => !source.has(key));
  const share = (keys: readonly string[]) => lackedOf(keys).length / keys.length;
  const [credential = []] = credentials.toSorted((one, other) => share(one) - share(other));
  return lackedOf([...addresses, ...credential]);
}

function isComplete(group: Group, source: Source): boolean {
  return lacking(group, source).length === 0;
}
