/**
 * The removal limit: how many people may lose a token, a seat, or the membership in one run without a list of approved
 * changes (approved-plan.ts). It protects against a program whose list of people became empty. It counts people, not calls.
 * Unless `maxRemovals` is set, it depends on the people whom the run has seen: an emptied program compares, creates,
 * and reads no one. Pulumi removes people after it has compared all others; only replacements come earlier, of people
 * whom the program still declares. People whose seats and tokens a refresh misses have a separate count;
 * missing-users.ts counts missing people.
 */

import type { Settings } from "../config/settings.ts";
import type { AccessRemoval, MissingObject } from "../resources/contexts.ts";
import { MOST_REMOVALS, REMOVAL_BOUNDS, REMOVAL_SHARE, removalLimit } from "../resources/members/removal.ts";
import { CodedError } from "../util/error-codes.ts";
import { counted, countedPeople, shellWord } from "../util/text.ts";

type Limits = Pick<Settings, "maxRemovals" | "allowedRemovals">;
type Person = Pick<AccessRemoval, "userId" | "organizationId">;

/** Pulumi starts removals at the same time, but may write its state before each: in this time, the next one arrives. */
const GATHER_MS = 250;
/** How many times in a row no one arrives. Where the program declares no one, slow backends get more time. */
const QUIET = { declared: 1, emptied: 4 } as const;

/** What a reached limit leaves in place. */
const KEPT: Readonly<Record<AccessRemoval["type"], (who: string) => string>> = {
  UserToken: (who) => `The token of ${who} was not revoked`,
  SeatAssignment: (who) => `The seat of ${who} was not removed`,
  OrgUser: (who) => `The membership of ${who} was not removed`,
};

/** What a refresh does not find of a member. */
const MISSING: Readonly<Record<MissingObject["type"], (who: string) => string>> = {
  UserToken: (who) => `the token of ${who}`,
  SeatAssignment: (who) => `the seat of ${who}`,
};

export class RemovalLimit {
  readonly #limits: Limits;
  readonly #pause: (ms: number) => Promise<void>;
  /** By organization and user, like the others: whether the program declares the user. */
  readonly #seen = new Map<string, boolean>();
  readonly #replaced = new Set<string>();
  readonly #removed = new Map<string, Kind>();
  /** The first who would be removed: all of them, or none. */
  readonly #first = new Set<string>();
  #gathering: Promise<void> | undefined;
  #isGathered = false;
  /** The bounds that the first ones exceed: no one whom they count loses anything. */
  readonly #exceeded = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #missing = new Map<string, Kind>();

  constructor(limits: Limits, pause = (_ms: number) => Promise.resolve()) {
    this.#limits = limits;
    this.#pause = pause;
  }

  /** Counts a person whom this run compares, creates or reads. @param isDeclared whether the program declares this user */
  see(person: Person, isDeclared = false): void {
    this.#seen.set(keyOf(person), isDeclared || this.declares(person));
  }

  /** Whether the program declares anything of this user, as far as the run has compared it. */
  declares(person: Person): boolean {
    return this.#seen.get(keyOf(person)) ?? false;
  }

  /** A replacement takes something of a person whom the program declares. */
  replace(person: Person): void {
    this.#replaced.add(keyOf(person));
  }

  /**
   * Counts a removal. A person counts once. The first removals wait until no other one arrives.
   * @throws Error if the limit is reached, or the first ones exceed it: then none of these is sent
   */
  async check(removal: AccessRemoval, who: string): Promise<void> {
    const key = keyOf(removal);
    const isReplaced = removal.isReplaced === true || this.#replaced.has(key);
    if (!isReplaced) await this.#gather(key);
    const reached = this.#add(this.#removed, removal, isReplaced ? "replaced" : "removed");
    if (reached === undefined) return;
    const { limit, source } = reached;
    const kept = KEPT[removal.type](who);
    if (this.#first.has(key)) this.#exceeded.add(source);
    if (this.#exceeded.has(source))
      throw new CodedError(
        "removal-limit",
        `removal limit reached: at least ${countedPeople(reached.count + 1)} would lose access in this run (limit ${limit}, ${source}). ${kept}. None of these removals was sent. ${overrideOf(removal)}`,
      );
    this.#refused.add(key);
    await this.#pause(GATHER_MS);
    throw new CodedError(
      "removal-limit",
      `removal limit reached: ${countedPeople(reached.count)} already lost access in this run (limit ${limit}, ${source}). ${kept}. At least ${counted(this.#refused.size, "more person", "more people")} would lose access. ${overrideOf(removal)}`,
    );
  }

  async #gather(key: string): Promise<void> {
    if (this.#isGathered || this.#removed.has(key)) return this.#gathering;
    this.#first.add(key);
    this.#removed.set(key, "removed");
    this.#gathering ??= this.#untilQuiet();
    await this.#gathering;
  }

  async #untilQuiet(): Promise<void> {
    const enough = [...this.#seen.values()].includes(true) ? QUIET.declared : QUIET.emptied;
    for (let quiet = 0; quiet < enough; ) {
      const before = this.#first.size;
      await this.#pause(GATHER_MS);
      quiet = this.#first.size > before ? 0 : quiet + 1;
    }
    this.#isGathered = true;
  }

  /** Counts a person whose seat or token a refresh misses. @throws Error if the limit is reached */
  countMissing(missing: MissingObject, who: string): void {
    const reached = this.#add(this.#missing, missing, "missing");
    if (reached === undefined) return;
    throw new CodedError(
      "removal-limit",
      `the service does not list ${MISSING[missing.type](who)}, and ${countedPeople(reached.count)} were already missing in this run (removal limit ${reached.limit}, ${reached.source}): its lists are probably incomplete, or of another organization. The state stays as it is. Check orgseat:organizationId. ${overrideOf(missing)}`,
    );
  }

  /** Adds a person, unless a bound is reached. */
  #add(people: Map<string, Kind>, person: Person, kind: Kind): Bound | undefined {
    const key = keyOf(person);
    const reached = this.#boundsOf(person, kind)
      .filter(({ limit }) => people.size - (people.has(key) ? 1 : 0) >= limit)
      .map((bound) => ({ ...bound, count: this.#countBeside(key, people, bound) }))
      .find(({ count, limit }) => count >= limit);
    if (reached === undefined && !people.has(key)) people.set(key, kind);
    return reached;
  }

  /** Of the first ones all others, otherwise those before. */
  #countBeside(key: string, people: Map<string, Kind>, bound: Pick<Bound, "counts">): number {
    const isFirst = people === this.#removed && this.#first.has(key);
    if (!isFirst) return countBefore(key, people, bound);
    return [...people].filter(([one, kind]) => one !== key && bound.counts(one, kind)).length;
  }

  #boundsOf({ organizationId }: Person, kind: Kind): Omit<Bound, "count">[] {
    const { allowedRemovals, maxRemovals } = this.#limits;
    const isAllowed = (key: string) => key.startsWith(`${allowedRemovals?.organizationId}/`);
    if (allowedRemovals?.organizationId === organizationId)
      return [{ limit: allowedRemovals.people, source: "ORGSEAT_ALLOW_REMOVALS", counts: isAllowed }];
    const isOther = (key: string) => !isAllowed(key);
    const all = { limit: maxRemovals ?? MOST_REMOVALS, source: "orgseat:maxRemovals", counts: isOther };
    if (maxRemovals !== undefined || kind !== "removed") return [all];
    const seen = this.#seen.size;
    const source = `${REMOVAL_SHARE} of the ${seen} people whom this run compared, added, or read; ${REMOVAL_BOUNDS}`;
    return [all, { limit: removalLimit(seen), source, counts: (key, of) => isOther(key) && of === kind }];
  }
}

type Kind = "removed" | "replaced" | "missing";

interface Bound {
  readonly limit: number;
  readonly source: string;
  readonly counts: (key: string, kind: Kind) => boolean;
  /** How many other people the run counts: before, or at the same time. */
  readonly count: number;
}

function countBefore(key: string, people: Map<string, Kind>, { counts }: Pick<Bound, "counts">): number {
  let count = 0;
  for (const [one, kind] of people.entries()) {
    if (one === key) break;
    if (counts(one, kind)) count += 1;
  }
  return count;
}

function keyOf({ organizationId, userId }: Person): string {
  return `${organizationId}/${userId}`;
}

function overrideOf({ organizationId }: AccessRemoval): string {
  return `To allow more, run again with ORGSEAT_ALLOW_REMOVALS=${shellWord(organizationId)}:<number of people>`;
}
