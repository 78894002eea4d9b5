/**
 * Implements one rule: the addresses and credentials of an area form one group, which comes from one source. Otherwise,
 * a change of one source could redirect the credential of the other.
 */
import type { Area } from "../api/calls/call.ts";

interface Group {
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
  return [...groups[area].addresses, ...credentialsOf(area).flat()];
}

/** The keys of each credential of an area. */
export function credentialsOf(area: Area): Group["credentials"] {
  return groups[area].credentials;
}

/** The area of an address or credential; undefined for other keys. */
export function areaOfKey(key: string): Area | undefined {
  return areas.find((area) => keysOf(area).includes(key));
}

/** The keys with values. */
type Source = Pick<ReadonlySet<string>, "has">;

/**
 * The source of the group of an area. The preferred one counts as a whole if it has all that requests need (the addresses and
 * a credential), or if the other one has no value that it lacks. Without any value in it, the other one counts.
 */
export function sourceOf(area: Area, preferred: Source, other: Source): "preferred" | "other" | "mixed" {
  const keys = keysOf(area);
  if (isComplete(area, preferred) || keys.every((key) => preferred.has(key) || !other.has(key)))
    return "preferred";
  return keys.some((key) => preferred.has(key)) ? "mixed" : "other";
}

/**
 * The keys that requests need and a source lacks: the addresses, and those of one credential, which is the first one, or
 * one that the source has in part.
 */
export function lacking(area: Area, source: Source): readonly string[] {
  const lackedOf = (keys: readonly string[]) => keys.filter((key) => !source.has(key));
  const share = (keys: readonly string[]) => lackedOf(keys).length / keys.length;
  const [credential = []] = credentialsOf(area).toSorted((one, other) => share(one) - share(other));
  return lackedOf([...groups[area].addresses, ...credential]);
}

function isComplete(area: Area, source: Source): boolean {
  return lacking(area, source).length === 0;
}
