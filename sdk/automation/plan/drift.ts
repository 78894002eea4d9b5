/** How much of the state the service can verify: the documented calls list no users, seats or tokens. */
import { grouped } from "../../../provider/util/plural.ts";
import type { ResourceType, Step } from "./steps.ts";

/** Read by calls 2, 12 and 15. */
const READABLE: ReadonlySet<ResourceType> = new Set(["ServiceAccount", "ModelServer", "VectorTable"]);

export interface Drift {
  /** Read from the service in this run. */
  readonly verified: number;
  /** Resources that no call lists; all resources if the run read nothing. */
  readonly unverifiable: number;
}

/** @param refreshed whether the run has read what calls 2, 12 and 15 list */
export function driftOf(steps: readonly Step[], refreshed: boolean): Drift {
  const existing = steps.filter(({ action }) => action !== "create");
  const verified = refreshed ? existing.filter(({ type }) => READABLE.has(type)).length : 0;
  return { verified, unverifiable: existing.length - verified };
}

export function describeDrift({ verified, unverifiable }: Drift): string {
  return `Drift: ${grouped(verified)} verified, ${grouped(unverifiable)} unverifiable (this API cannot list users, seats or tokens)`;
}
