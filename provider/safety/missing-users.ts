/**
 * The users whom a refresh of a program misses. Pulumi reads one resource after the other, and no read knows how many people
 * the state has: at most those of the list, and those whom it lacks.
 */
import { administratorIn, type Settings } from "../config/settings.ts";
import type { ListedMembers, TokenOwner } from "../resources/contexts.ts";
import { doubtOf, mostMissing } from "../resources/members/lacking.ts";

/** Pulumi reads several resources at the same time: in this time, the others have arrived. */
const GATHER_MS = 100;

export class MissingUsers {
  readonly #settings: Pick<Settings, "maxRemovals" | "allowedRemovals" | "admin">;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #missing = new Map<string, Set<string>>();
  /** By organization: what shows nothing about one user shows nothing about any. */
  readonly #doubts = new Map<string, string>();

  constructor(
    settings: Pick<Settings, "maxRemovals" | "allowedRemovals" | "admin">,
    pause: (ms: number) => Promise<void>,
  ) {
    this.#settings = settings;
    this.#pause = pause;
  }

  /** Adds a user whom a list lacks. @returns why the list shows nothing about the user; undefined if it does */
  async add({ organizationId, userId }: TokenOwner, users: ListedMembers): Promise<string | undefined> {
    const missing = this.#missing.get(organizationId) ?? new Set();
    this.#missing.set(organizationId, missing.add(userId));
    await this.#pause(GATHER_MS);
    const doubt =
      this.#doubts.get(organizationId) ??
      doubtOf(users, {
        missing: missing.size,
        managed: users.length + missing.size,
        most: mostMissing(this.#settings, organizationId),
        administrator: administratorIn(this.#settings),
      });
    if (doubt !== undefined) this.#doubts.set(organizationId, doubt);
    return doubt;
  }
}
