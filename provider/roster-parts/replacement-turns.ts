/**
 * Tokens and seats that a run removes before their successors exist, one person at a time: a service that refuses the
 * successors takes something of one person, and not of everybody. A turn lasts from the removal to the end of the creation.
 * The turns are those of one provider process. A person has a key (`personKey`).
 */

import { concernsOthers, failedCallOf } from "../resources/failures.ts";
import type { Removed } from "../resources/resource.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { CodedError } from "../util/error-codes.ts";
import { type Clock, RUN_CANCELLED } from "../util/instants.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import { type Refusal, Refusals } from "./refusals.ts";

/** Pulumi creates right after it has removed, unless the run is ending. */
const MOST_GAP_MS = 30_000;
const PAUSE_MS = 50;

/** Nothing was sent: another error of the run says why. */
export class ReplacementStopped extends CodedError {
  constructor(why: string) {
    super("blocked", `not sent: ${why}. Fix the cause of the first error, ${THEN_RUN_AGAIN}`);
  }
}

/** The creation that follows the removals of a person. */
interface Successor {
  readonly type: ResourceType;
  readonly key: string;
}

/** The turn of one person. */
interface Turn {
  readonly person: string;
  /** The creation that ends it. */
  readonly successor: string;
  hasRemoved: boolean;
  /** Since when the creation is still to come. */
  removedAt?: number | undefined;
}

export class ReplacementTurns {
  readonly #refusals = new Refusals();
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #isCancelled: () => boolean;
  /** What diff has found to be replaced, the old object first. */
  readonly #replaced = new Set<string>();
  /** By person, the creation that follows the removals. */
  readonly #successors = new Map<string, Successor>();
  #turn: Turn | undefined;

  /** @param isCancelled whether the run is cancelled: no further turn begins */
  constructor(clock: Pick<Clock, "monotonic" | "sleep">, isCancelled: () => boolean) {
    this.#clock = clock;
    this.#isCancelled = isCancelled;
  }

  /**
   * Notes a replacement that removes first.
   * @param successor the person of the new object; undefined while it is not known: then Pulumi
   * removes it for something else that is replaced, and creates the new one later
   */
  plan(type: ResourceType, person: string, successor: string | undefined): void {
    this.#replaced.add(keyOf(type, person));
    if (successor !== undefined) this.#successors.set(person, { type, key: keyOf(type, successor) });
  }

  /** Call it before the removal of an object. @throws ReplacementStopped if its successor would be refused */
  async beforeRemoval(type: ResourceType, person: string): Promise<void> {
    if (!this.#replaced.has(keyOf(type, person))) return;
    const successor = this.#successors.get(person);
    this.#requireAccepted(type, successor?.type);
    if (successor !== undefined) await this.#begin(type, person, successor);
  }

  /** Call it before a creation removes what is in its way. @throws ReplacementStopped if it would be refused */
  async beginCreation(type: ResourceType, person: string): Promise<void> {
    this.#requireAccepted(type);
    await this.#begin(type, person, { type, key: keyOf(type, person) });
    if (this.#turn !== undefined) this.#turn.hasRemoved = true;
  }

  /** Begins the turn of a person, unless it has begun. */
  async #begin(type: ResourceType, person: string, { type: next, key: successor }: Successor): Promise<void> {
    if (this.#turn?.person === person) return;
    this.#requireAccepted(type, next);
    while (this.#turn !== undefined) {
      if (this.#isCancelled()) throw new ReplacementStopped(RUN_CANCELLED);
      this.#requireGapToEnd(this.#turn);
      await this.#clock.sleep(PAUSE_MS);
      this.#requireAccepted(type, next);
    }
    this.#turn = { person, successor, hasRemoved: false };
  }

  /** Call it after the removal. @param result undefined: it failed */
  afterRemoval(person: string, result: Removed | undefined): void {
    if (this.#turn?.person !== person) return;
    if (result === undefined) this.#turn = undefined;
    else {
      this.#turn.hasRemoved ||= result === "deleted";
      this.#turn.removedAt = this.#clock.monotonic();
    }
  }

  beforeCreation(type: ResourceType, person: string): void {
    if (this.#turn?.successor === keyOf(type, person)) this.#turn.removedAt = undefined;
  }

  /** @param error undefined: it succeeded @returns what a refusal says about other people, if anything */
  afterCreation(type: ResourceType, person: string, error: unknown): Refusal | undefined {
    const turn = this.#turn?.successor === keyOf(type, person) ? this.#turn : undefined;
    const refusal = refusalOf(type, turn, error);
    if (error === undefined || refusal !== undefined) this.#refusals.note(type, refusal);
    if (turn !== undefined) this.#turn = undefined;
    return refusal;
  }

  #requireAccepted(...types: readonly (ResourceType | undefined)[]): void {
    const type = types.find((one) => one !== undefined && this.#refusals.isStopped(one));
    if (type !== undefined) throw new ReplacementStopped(`the service refuses a new ${NOUNS[type] ?? type}`);
  }

  #requireGapToEnd({ removedAt }: Turn): void {
    if (removedAt === undefined || this.#clock.monotonic() - removedAt <= MOST_GAP_MS) return;
    throw new ReplacementStopped("the run ends before it has replaced another person's token or seat");
  }
}

const NOUNS: Partial<Record<ResourceType, string>> = { UserToken: "token", SeatAssignment: "seat" };

function refusalOf(type: ResourceType, turn: Turn | undefined, error: unknown): Refusal | undefined {
  const call = failedCallOf(error);
  if (call === undefined || NOUNS[type] === undefined) return undefined;
  const hasRemoved = turn?.hasRemoved === true;
  const { status } = call;
  // A new seat needs a free one, a moved seat does not.
  const isShortage = type === "SeatAssignment" && status === 402 && turn === undefined;
  if (concernsOthers(call, hasRemoved) && !isShortage) return { concernsOthers: true, status };
  return hasRemoved ? { concernsOthers: false, status } : undefined;
}

function keyOf(type: ResourceType, person: string): string {
  return `${type} ${person}`;
}
