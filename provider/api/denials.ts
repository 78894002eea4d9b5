/** What a service without lists says about users whom it does not show, in one process. */
import type { Clock } from "../util/instants.ts";
import { withoutStop } from "../util/text.ts";
import { ApiError, type ApiErrorFields } from "./calls/errors.ts";
import type { Missing } from "./calls/missing.ts";
import { decideRefusal, type SeenInRun } from "./calls/refused-removal.ts";
import type { Reply } from "./client/outcomes.ts";

/** How long the first such answers wait for those to requests that Pulumi sends at the same time. */
const GATHER_MS = 100;

/** The answer to a removal that found nothing. */
interface Denial {
  readonly missing: Missing | undefined;
  /** The same answer as a failure. */
  readonly refusal: ApiErrorFields;
}

/** What runs have removed, as `revoke token <user id>`. */
export type RemovedEarlier = () => ReadonlySet<string>;

/**
 * A service can answer "no such user" or "no such token" to an account that has lost its rights: if it says so of all users
 * of a run, it proves nothing (D15).
 */
export class Denials {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #readRemoved: RemovedEarlier;
  /** Whether the service did something in the organization, or knows a user of it. */
  #isAnyKnown = false;
  /** The requests without an answer so far. */
  readonly #pending = new Set<Promise<unknown>>();
  /** Users about whom the service has denied something. */
  readonly #denied = new Set<string>();
  /** By call, what the answers named as missing: one that names the token, and one the user, tell users apart. */
  readonly #named = new Map<string, Set<Missing | undefined>>();
  #removed: ReadonlySet<string> | undefined;

  constructor(clock: Pick<Clock, "sleep">, readRemoved: RemovedEarlier = () => new Set()) {
    this.#clock = clock;
    this.#readRemoved = readRemoved;
  }

  /** Waits for a reply, and notes whether it shows that the service knows the organization. */
  async note<Answer>(request: Promise<Reply<Answer>>): Promise<Reply<Answer>> {
    this.#pending.add(request);
    try {
      const reply = await request;
      this.#isAnyKnown ||= !reply.gone;
      return reply;
    } catch (error) {
      // A conflict or missing seats are about what the service shows the account, too.
      if (error instanceof ApiError && error.code === "refused" && [402, 409].includes(error.status ?? 0))
        this.#isAnyKnown = true;
      throw error;
    } finally {
      this.#pending.delete(request);
    }
  }

  /**
   * @param call the name of a removal that found nothing
   * @throws ApiError if the service says so of everything that this process asked
   */
  async requireProof(call: string, userId: string, { missing, refusal }: Denial): Promise<void> {
    const seen = await this.#seen(call, userId, missing);
    if (decideRefusal({ ...refusal, missing }, undefined, seen) !== "unknown") return;
    const reason = `${withoutStop(refusal.reason)}. The service says so of all ${this.#denied.size} users that this run asked about, as it does to a service account without rights. Nothing leaves the state. Check orgseat:organizationId, orgseat:orgUrl, orgseat:platform, and the rights of the service account, then run again. If these users have left, remove them in one run each`;
    throw new ApiError({ ...refusal, reason });
  }

  /** What this process knows about an answer, after the answers to requests that were sent at the same time. */
  async #seen(call: string, userId: string, missing: Missing | undefined): Promise<SeenInRun> {
    // An earlier run ended before the state had the removal.
    this.#removed ??= this.#readRemoved();
    if (this.#removed.has(`${call} ${userId}`) || this.#removed.has(`remove user ${userId}`))
      return { mayBeOurs: true };
    this.#denied.add(userId);
    const named = this.#named.get(call) ?? new Set();
    this.#named.set(call, named.add(missing));
    if (named.size > 1) this.#isAnyKnown = true;
    if (this.#isAnyKnown) return {};
    await this.#clock.sleep(GATHER_MS);
    await Promise.allSettled(this.#pending);
    return { deniesAll: !this.#isAnyKnown && this.#denied.size > 1 };
  }
}
