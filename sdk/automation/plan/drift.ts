/** What of the state can be held against the service at all: the documented calls read no people, seats or tokens. */
import { grouped } from "../../../provider/util/plural.ts";
import type { ResourceType, Step } from "./steps.ts";

/** Read by calls 2, 12 and 15. */
const READABLE: ReadonlySet<ResourceType> = new Set(["ServiceAccount", "ModelServer", "VectorTable"]);

export interface Drift {
  /** Read at the service in this run. */
  readonly verified: number;
  /** Whatever no call reads, and, where the run read nothing, the rest too. */
  readonly unverifiable: number;
}

/** @param refreshed whether the run has read what can be read */
export function driftOf(steps: readonly Step[], refreshed: boolean): Drift {
  const there = steps.filter(({ action }) => action !== "create");
  const verified = refreshed ? there.filter(({ type }) => READABLE.has(type)).length : 0;
  return { verified, unverifiable: there.length - verified };
}

export function describeDrift({ verified, unverifiable }: Drift): string {
  return `verified ${grouped(verified)}, cannot be verified ${grouped(unverifiable)}`;
}
