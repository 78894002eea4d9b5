/**
 * The removal limit: how many people may lose a token, a seat or the membership in one run without a list of approved
 * changes (approval.ts). It protects against a program whose list of people became empty. It counts people, not calls.
 * The same limit applies to people whom a refresh misses, in a count of their own: it protects the state against a list of
 * users that is incomplete or of another organization.
 */
import type { AccessRemoval } from "./resources/resource.ts";
import type { RunMap } from "./resources/run-map.ts";
import { RunFacts } from "./run-facts.ts";
import type { Settings } from "./settings.ts";
import { countedPeople } from "./util/plural.ts";

type Limits = Pick<Settings, "maxRemovals" | "allowedRemovals">;

/** What a reached limit leaves in place. */
const KEPT: Readonly<Record<AccessRemoval["type"], (who: string) => string>> = {
  UserToken: (who) => `The token of ${who} was not revoked`,
  SeatAssignment: (who) => `The seat of ${who} was not removed`,
  OrgUser: (who) => `The membership of ${who} was not removed`,
};

/** What a refresh does not find. */
const MISSING: Readonly<Record<AccessRemoval["type"], (who: string) => string>> = {
  UserToken: (who) => `the token of ${who}`,
  SeatAssignment: (who) => `the seat of ${who}`,
  OrgUser: (who) => who,
};

export class RemovalLimit {
  readonly #removed: PeopleOfRun;
  readonly #missing: PeopleOfRun;

  constructor(limits: Limits, facts = new RunFacts()) {
    this.#removed = new PeopleOfRun(limits, facts.map("removed"));
    this.#missing = new PeopleOfRun(limits, facts.map("missing"));
  }

  /** Counts a removal. A person counts once. @throws Error where the limit is reached */
  check(removal: AccessRemoval, who: string): void {
    const reached = this.#removed.add(removal);
    if (reached === undefined) return;
    throw new Error(
      `removal limit reached: ${countedPeople(reached.count)} already lost access in this run (limit ${reached.limit}, ${reached.source}). ${KEPT[removal.type](who)}. ${overrideOf(removal)}`,
    );
  }

  /** Counts a person whom a refresh misses. @throws Error where the limit is reached */
  countMissing(missing: AccessRemoval, who: string): void {
    const reached = this.#missing.add(missing);
    if (reached === undefined) return;
    throw new Error(
      `the service lacks ${MISSING[missing.type](who)}, and ${countedPeople(reached.count)} of this run before (removal limit ${reached.limit}, ${reached.source}): its lists are probably of another organization, or incomplete. The state stays as it is. Check orgseat:organizationId. ${overrideOf(missing)}`,
    );
  }
}

function overrideOf({ organizationId }: AccessRemoval): string {
  return `To allow more, run again with ORGSEAT_ALLOW_REMOVALS=${organizationId}:<number of people>`;
}

interface ReachedLimit {
  readonly count: number;
  readonly limit: number;
  readonly source: string;
}

/** The people of one run who count against the limit. */
class PeopleOfRun {
  readonly #limits: Limits;
  /** Their organizations, by organization and user. */
  readonly #people: RunMap;

  constructor(limits: Limits, people: RunMap) {
    this.#limits = limits;
    this.#people = people;
  }

  /** Adds a person, unless the limit is reached. */
  add({ userId, organizationId }: AccessRemoval): ReachedLimit | undefined {
    const { allowedRemovals, maxRemovals } = this.#limits;
    const overridden = allowedRemovals?.organizationId === organizationId;
    const limit = overridden ? allowedRemovals.people : maxRemovals;
    const key = `${organizationId}/${userId}`;
    const reached = (): ReachedLimit | undefined => {
      const others = this.#people.size() - (this.#people.has(key) ? 1 : 0);
      if (others < limit) return undefined;
      const count = this.#countBefore(key, overridden);
      if (count < limit) return undefined;
      return { count, limit, source: overridden ? "ORGSEAT_ALLOW_REMOVALS" : "orgseat:maxRemovals" };
    };
    const before = reached();
    if (before !== undefined) return before;
    this.#people.add(key, organizationId);
    // Another process may have added people at the same time.
    return reached();
  }

  /** How many people the run added before this one, in the overridden organization or in all others. */
  #countBefore(key: string, overridden: boolean): number {
    let count = 0;
    for (const [one, organizationId] of this.#people.entries()) {
      if (one === key) break;
      if ((organizationId === this.#limits.allowedRemovals?.organizationId) === overridden) count += 1;
    }
    return count;
  }
}
