/**
 * The removal breaker: how many people may lose a token, a seat or the membership in one run that was given no list of
 * approved changes (approval.ts). An emptied list under a plain `pulumi up` is the accident it is there for. It counts
 * people, not calls.
 */
import type { Removal } from "./resources/resource.ts";
import type { Settings } from "./settings.ts";

type Limits = Pick<Settings, "maxRemovals" | "allowedRemovals">;

export class RemovalLimit {
  readonly #limits: Limits;
  readonly #admitted = new Map<string, Set<string>>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Lets a removal through, or throws why not. A person counts once, however much goes. */
  check({ userId, organizationId }: Pick<Removal, "userId" | "organizationId">): void {
    const people = this.#peopleOf(organizationId);
    if (people.has(userId)) return;
    const { allowedRemovals, maxRemovals } = this.#limits;
    const overridden = allowedRemovals?.organizationId === organizationId;
    const limit = overridden ? allowedRemovals.people : maxRemovals;
    const count = overridden ? people.size : this.#total();
    if (count >= limit) throw new Error(refusal(organizationId, count, limit, overridden));
    people.add(userId);
  }

  #peopleOf(organizationId: string): Set<string> {
    const people = this.#admitted.get(organizationId) ?? new Set<string>();
    this.#admitted.set(organizationId, people);
    return people;
  }

  #total(): number {
    const overridden = this.#limits.allowedRemovals?.organizationId;
    return [...this.#admitted].reduce(
      (sum, [id, people]) => (id === overridden ? sum : sum + people.size),
      0,
    );
  }
}

function refusal(organizationId: string, count: number, limit: number, overridden: boolean): string {
  const people = `${count} ${count === 1 ? "person has" : "people have"}`;
  const source = overridden ? "ORGSEAT_ALLOW_REMOVALS" : "orgseat:maxRemovals";
  return `the removal breaker stopped this: ${people} lost a token, seat or membership in this run, and the limit is ${limit} (${source}). Nobody else loses anything. If that many are really meant to go, run again with ORGSEAT_ALLOW_REMOVALS=${organizationId}:<number of people>.`;
}
