/**
 * Whether a service refuses all successors of what a run removes first, or those of single people alone: nothing more is
 * removed for the former.
 */
import type { ResourceType } from "../resources/resource-types.ts";

/** Why a creation was refused: for a reason that is not about its person alone, or, after a removal, for any other. */
export interface Refusal {
  readonly concernsOthers: boolean;
  readonly status?: number | undefined;
}

/** The same refusal of so many people in a row, each after a removal, is not about one of them. */
const SAME_REFUSALS = 3;

export class Refusals {
  readonly #answered = new Set<ResourceType>();
  readonly #stopped = new Set<ResourceType>();
  /** The same refusals in a row. */
  readonly #rows = new Map<ResourceType, { readonly status: number | undefined; readonly times: number }>();

  /** Whether the service has refused a successor, so that no further object of the type is removed for one. */
  isStopped(type: ResourceType): boolean {
    return this.#stopped.has(type);
  }

  /** Whether a successor was created, or refused. */
  isAnswered(type: ResourceType): boolean {
    return this.#answered.has(type);
  }

  /** @param refusal undefined: the creation succeeded */
  note(type: ResourceType, refusal: Refusal | undefined): void {
    this.#answered.add(type);
    if (refusal === undefined) {
      this.#stopped.delete(type);
      this.#rows.delete(type);
      return;
    }
    const { concernsOthers, status } = refusal;
    if (concernsOthers) {
      this.#stopped.add(type);
      return;
    }
    const last = this.#rows.get(type);
    const times = last !== undefined && last.status === status ? last.times + 1 : 1;
    this.#rows.set(type, { status, times });
    if (times >= SAME_REFUSALS) this.#stopped.add(type);
  }
}
