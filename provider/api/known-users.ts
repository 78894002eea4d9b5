/**
 * Whether the service shows an account any user of an organization. A service can answer "no such user" to an account that
 * has lost its rights: if it says so of every user, it proves nothing (D15).
 */

import type { Clock } from "../util/instants.ts";
import type { ApiErrorFields } from "./calls/errors.ts";

/** How long the first such answers wait for those to requests that Pulumi sends at the same time. */
const GATHER_MS = 100;

/** Of one organization, in one process. */
export class KnownUsers {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #missing = new Set<string>();
  readonly #pending = new Set<Promise<unknown>>();
  #isAnyKnown = false;

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  /** The service did something in the organization, or knows a user of it. */
  note(): void {
    this.#isAnyKnown = true;
  }

  /** Tracks the request of a removal until it is answered. */
  track<T>(request: Promise<T>): Promise<T> {
    this.#pending.add(request);
    const forget = (): void => void this.#pending.delete(request);
    request.then(forget, forget);
    return request;
  }

  /** @returns the error if the service knows none of the users that this process asked about */
  async denied(userId: string, refusal: ApiErrorFields): Promise<ApiErrorFields | undefined> {
    this.#missing.add(userId);
    if (this.#isAnyKnown) return undefined;
    await this.#clock.sleep(GATHER_MS);
    await Promise.allSettled(this.#pending);
    if (this.#isAnyKnown || this.#missing.size === 1) return undefined;
    const reason = `${refusal.reason.replace(/[.\s]*$/, "")}. The service says so of all ${this.#missing.size} users that this run asked about, as it does to a service account without rights. Nothing leaves the state. Check orgseat:organizationId and the rights of the service account, then run again. If these users have left, remove them in one run each`;
    return { ...refusal, reason };
  }
}
