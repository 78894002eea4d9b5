/**
 * Tokens and seats that a run removes before their successors exist, one person at a time: a service that refuses the
 * successors takes something of one person, and not of everybody. A turn lasts from the removal to the end of the creation,
 * and the facts of the run are the turns, so they apply to all its Providers; under the command `orgseat`, to all its
 * stacks and passes too.
 */

import { concernsOthers, failedCallOf } from "../resources/failures.ts";
import type { Removed, RunMap } from "../resources/resource.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { CodedError } from "../util/error-codes.ts";
import { type Clock, systemClock } from "../util/instants.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import { RunFacts } from "./run-facts.ts";
import { inTurn } from "./run-turns.ts";

/** Pulumi creates right after it has removed, unless the run is ending. */
const MOST_GAP_MS = 30_000;
/** The same refusal of so many people in a row, each after a removal, is not about one of them. */
const SAME_REFUSALS = 3;

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
  readonly end: () => void;
}

/** The turns of one command `orgseat`, whose stacks and passes have one engine each. @param folder of the command alone */
export function turnsOfCommand(
  folder: string,
  clock: Pick<Clock, "monotonic" | "sleep"> = systemClock,
): ReplacementTurns {
  return new ReplacementTurns(new RunFacts(folder, "command:0"), clock);
}

export class ReplacementTurns {
  readonly #facts: RunFacts;
  readonly #shared: RunMap;
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  /** What diff has found to be replaced, the old object first. */
  readonly #replaced = new Set<string>();
  /** By person, the creation that follows the removals. */
  readonly #successors = new Map<string, Successor>();
  #turn: Turn | undefined;

  constructor(facts: RunFacts, clock: Pick<Clock, "monotonic" | "sleep">) {
    this.#facts = facts;
    this.#shared = facts.map("replacements");
    this.#clock = clock;
  }

  /** Whether the service has refused a successor, so that no further object of the type is removed for one. */
  isStopped(type: ResourceType): boolean {
    return (this.#shared.get(refusedKey(type)) ?? "") !== "";
  }

  /**
   * Notes a replacement that removes first.
   * @param id of the person @param successor the person of the new object; undefined while it is not known: then Pulumi
   * removes it for something else that is replaced, and creates the new one later
   */
  plan(type: ResourceType, id: string, successor: string | undefined): void {
    this.#replaced.add(keyOf(type, id));
    if (successor !== undefined) this.#successors.set(id, { type, key: keyOf(type, successor) });
  }

  /** Call it before the removal of an object. @throws ReplacementStopped if its successor would be refused */
  async beforeRemoval(type: ResourceType, id: string): Promise<void> {
    if (!this.#replaced.has(keyOf(type, id))) return;
    const successor = this.#successors.get(id);
    this.#requireAccepted(type, successor?.type);
    if (successor !== undefined) await this.#begin(type, id, successor);
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
    const checkWait = this.#waitCheck(type, next);
    await new Promise<void>((begun, failed) => {
      const work = () =>
        new Promise<void>((end) => {
          this.#turn = { person, successor, hasRemoved: false, end };
          begun();
        });
      inTurn(this.#facts, "replacements", work, this.#clock, checkWait).catch(failed);
    });
    try {
      this.#requireAccepted(type, next);
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Call it after the removal. @param result undefined: it failed */
  afterRemoval(id: string, result: Removed | undefined): void {
    if (this.#turn?.person !== id) return;
    if (result === undefined) this.#end();
    else {
      this.#turn.hasRemoved ||= result === "deleted";
      this.#shared.set(GAP, this.#turn.successor);
    }
  }

  beforeCreation(type: ResourceType, person: unknown): void {
    if (this.#turn?.successor === keyOf(type, String(person))) this.#shared.set(GAP, "");
  }

  /** @param error undefined: it succeeded */
  afterCreation(type: ResourceType, person: unknown, error: unknown): void {
    const turn = this.#turn?.successor === keyOf(type, String(person)) ? this.#turn : undefined;
    if (type === "UserToken" || type === "SeatAssignment") this.#note(type, turn, error);
    if (turn !== undefined) this.#end();
  }

  #note(type: ResourceType, turn: Turn | undefined, error: unknown): void {
    const [refused, row] = [refusedKey(type), `row of ${type}`];
    if (error === undefined) {
      for (const key of [refused, row]) if (this.#shared.has(key)) this.#shared.set(key, "");
      return;
    }
    const call = failedCallOf(error);
    if (call === undefined) return;
    const hasRemoved = turn?.hasRemoved === true;
    // A new seat needs a free one, a moved seat does not.
    const isShortage = type === "SeatAssignment" && call.status === 402 && turn === undefined;
    const isProof = concernsOthers(call, hasRemoved) && !isShortage;
    if (isProof || (hasRemoved && this.#isThird(row, String(call.status)))) this.#shared.set(refused, "yes");
  }

  /** Whether the same refusal has come for several people in a row. */
  #isThird(row: string, status: string): boolean {
    const [last, count] = (this.#shared.get(row) ?? "").split(" ");
    const times = (last === status ? Number(count) : 0) + 1;
    this.#shared.set(row, `${status} ${times}`);
    return times >= SAME_REFUSALS;
  }

  #requireAccepted(...types: readonly (ResourceType | undefined)[]): void {
    const type = types.find((one) => one !== undefined && this.isStopped(one));
    if (type !== undefined) throw new ReplacementStopped(`the service refuses a new ${NOUNS[type] ?? type}`);
  }

  /** @returns what ends the wait for another person's turn */
  #waitCheck(...types: readonly ResourceType[]): () => void {
    let [open, since] = ["", 0];
    return () => {
      this.#requireAccepted(...types);
      const now = this.#shared.get(GAP) ?? "";
      if (now !== open) [open, since] = [now, this.#clock.monotonic()];
      if (open === "" || this.#clock.monotonic() - since <= MOST_GAP_MS) return;
      throw new ReplacementStopped("the run ends before it has replaced another person's token or seat");
    };
  }

  #end(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (this.#shared.has(GAP)) this.#shared.set(GAP, "");
    turn?.end();
  }
}

/** The fact that a successor is still to come: its key, or nothing. */
const GAP = "removed";

const NOUNS: Partial<Record<ResourceType, string>> = { UserToken: "token", SeatAssignment: "seat" };

function refusedKey(type: ResourceType): string {
  return `refused ${type}`;
}

function keyOf(type: ResourceType, person: string): string {
  return `${type} ${person}`;
}
