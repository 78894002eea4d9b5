/**
 * The removal breaker: what may be taken away in one run. Where the run was given the exact removals that a preview
 * showed (removals.ts), those and no others. Else by number: how many people may lose a token, a seat or the membership;
 * an emptied list under a plain `pulumi up` is the accident it is there for. It counts people, not calls.
 */
import { type RemovalList, readRemovals } from "./removals.ts";
import type { Removal } from "./resources/resource.ts";
import type { Settings } from "./settings.ts";

type Limits = Pick<Settings, "maxRemovals" | "allowedRemovals" | "removalsFile" | "organizationId">;

/** What a removal takes away, and whether people lose it, who are counted. */
const LOSSES: Readonly<Record<Removal["type"], { readonly what: string; readonly counts: boolean }>> = {
  UserToken: { what: "the token of", counts: true },
  SeatAssignment: { what: "the seat of", counts: true },
  OrgUser: { what: "the membership of", counts: true },
  ServiceAccount: { what: "the service account", counts: false },
  ModelServer: { what: "the model server", counts: false },
};

export class RemovalBreaker {
  readonly #limits: Limits;
  readonly #admitted = new Map<string, Set<string>>();
  #shown: ReturnType<typeof readRemovals> | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Lets a removal through, or throws why not. A person counts once, however much goes. */
  admit(removal: Removal): void {
    const { removalsFile } = this.#limits;
    if (removalsFile === undefined) this.#count(removal);
    else this.#compare(removal, removalsFile);
  }

  #compare(removal: Removal, file: string): void {
    this.#shown ??= readRemovals(file);
    const reason = this.#reasonAgainst(removal, this.#shown, `ORGSEAT_REMOVALS, ${file}`);
    if (reason === undefined) return;
    throw new Error(
      `the removal breaker stopped this: ${LOSSES[removal.type].what} ${removal.who} stays. ${reason}`,
    );
  }

  #reasonAgainst(
    removal: Removal,
    shown: RemovalList | { fault: string },
    source: string,
  ): string | undefined {
    if ("fault" in shown) {
      return `The list of what the preview showed (${source}) cannot be read, so nothing is removed: ${shown.fault}. Run the preview again.`;
    }
    const organizationId = removal.organizationId ?? this.#limits.organizationId;
    if (organizationId !== undefined && organizationId !== shown.organizationId) {
      return `The list of what the preview showed (${source}) is of the organization ${shown.organizationId}, and this is in ${organizationId}. Run the preview again, for this organization.`;
    }
    if (shown.names(removal)) return undefined;
    return `The preview did not show this (${source}). Run the preview again, and go on if it is meant.`;
  }

  #count({ type, id, organizationId = "" }: Removal): void {
    if (!LOSSES[type].counts) return;
    const people = this.#peopleOf(organizationId);
    if (people.has(id)) return;
    const { allowedRemovals, maxRemovals } = this.#limits;
    const overridden = allowedRemovals?.organizationId === organizationId;
    const limit = overridden ? allowedRemovals.people : maxRemovals;
    const count = overridden ? people.size : this.#total();
    if (count >= limit) throw new Error(refusal(organizationId, count, limit, overridden));
    people.add(id);
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
