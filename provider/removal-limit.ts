/**
 * The removal limit: how many people may lose a token, a seat or the membership in one run without a list of approved
 * changes (approval.ts). It protects against a program whose list of people became empty. It counts people, not calls.
 */
import type { AccessRemoval } from "./resources/resource.ts";
import type { Settings } from "./settings.ts";
import { countedPeople } from "./util/plural.ts";

type Limits = Pick<Settings, "maxRemovals" | "allowedRemovals">;

/** What a reached limit leaves in place. */
const KEPT: Readonly<Record<AccessRemoval["type"], (who: string) => string>> = {
  UserToken: (who) => `The token of ${who} was not revoked`,
  SeatAssignment: (who) => `The seat of ${who} was not removed`,
  OrgUser: (who) => `The membership of ${who} was not removed`,
};

export class RemovalLimit {
  readonly #limits: Limits;
  readonly #removed = new Map<string, Set<string>>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts a removal. A person counts once. @throws Error where the limit is reached */
  check({ type, userId, organizationId }: AccessRemoval, who: string): void {
    const removed = this.#peopleOf(organizationId);
    if (removed.has(userId)) return;
    const { allowedRemovals, maxRemovals } = this.#limits;
    const overridden = allowedRemovals?.organizationId === organizationId;
    const limit = overridden ? allowedRemovals.people : maxRemovals;
    const count = overridden ? removed.size : this.#total();
    if (count >= limit) {
      const source = overridden ? "ORGSEAT_ALLOW_REMOVALS" : "orgseat:maxRemovals";
      throw new Error(
        `removal limit reached: ${countedPeople(count)} already lost access in this run (limit ${limit}, ${source}). ${KEPT[type](who)}. To allow more, run again with ORGSEAT_ALLOW_REMOVALS=${organizationId}:<number of people>`,
      );
    }
    removed.add(userId);
  }

  #peopleOf(organizationId: string): Set<string> {
    const people = this.#removed.get(organizationId) ?? new Set<string>();
    this.#removed.set(organizationId, people);
    return people;
  }

  #total(): number {
    const overridden = this.#limits.allowedRemovals?.organizationId;
    return [...this.#removed].reduce((sum, [id, people]) => (id === overridden ? sum : sum + people.size), 0);
  }
}
