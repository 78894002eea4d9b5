/**
 * One process at a time among the Providers of a run, for what two at once would spoil. The facts of the run are the lock:
 * a turn belongs to the process whose claim is first, until it ends the turn or has ended itself.
 */

import { randomUUID } from "node:crypto";
import type { RunMap } from "../resources/resource.ts";
import { CodedError } from "../util/error-codes.ts";
import { systemClock } from "../util/instants.ts";
import { isRunning, processMark } from "../util/running-process.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import type { RunFacts } from "./run-facts.ts";

const PAUSE_MS = 50;
/** By default, of one turn. */
const MOST_WAIT_MS = 75_000;

/** For tests. */
type Clock = Pick<typeof systemClock, "monotonic" | "sleep">;

/** @param holder the mark of the process whose turn it is */
type CheckWait = (waitedMs: number, holder: string) => void;

/**
 * Waits for the process whose turn it is; one that has ended has no turn.
 * @param name of what is done in turns
 * @param checkWait called while it waits for one turn; throws to wait no longer. Default: after the time of one command
 * @throws if the processes cannot share facts, or one turn takes too long
 */
export async function inTurn<T>(
  facts: Pick<RunFacts, "map" | "failure">,
  name: string,
  work: () => Promise<T>,
  clock: Clock = systemClock,
  checkWait: CheckWait = limitWait,
): Promise<T> {
  const turns = facts.map(`turns ${name}`);
  const own = `${processMark(process.pid)} ${randomUUID()}`;
  // Each ended turn has two facts.
  for (let turn = Math.floor(turns.size() / 2); ; turn++) {
    if (turns.has(endOf(turn))) continue;
    const holder = turns.add(String(turn), own);
    // After a failure the facts are those of this process alone.
    if (facts.failure !== undefined) throw new CodedError("file-error", facts.failure);
    if (holder !== own) {
      await waitForEnd(turns, { turn, holder, clock, checkWait });
      continue;
    }
    try {
      return await work();
    } finally {
      turns.add(endOf(turn), "");
    }
  }
}

function endOf(turn: number): string {
  return `end of ${turn}`;
}

interface Waiting {
  readonly turn: number;
  readonly holder: string;
  readonly clock: Clock;
  readonly checkWait: CheckWait;
}

async function waitForEnd(turns: RunMap, { turn, holder, clock, checkWait }: Waiting): Promise<void> {
  const [mark = ""] = holder.split(" ");
  const since = clock.monotonic();
  while (!turns.has(endOf(turn))) {
    if (!isRunning(mark)) {
      turns.add(endOf(turn), "");
      return;
    }
    checkWait(clock.monotonic() - since, mark);
    await clock.sleep(PAUSE_MS);
  }
}

function limitWait(waitedMs: number, mark: string): void {
  if (waitedMs > MOST_WAIT_MS) throw tookTooLong(mark);
}

function tookTooLong(mark: string): Error {
  return new CodedError(
    "out-of-time",
    `process ${Number.parseInt(mark, 10)}, another Provider of this run, has kept this Provider waiting for more than ${MOST_WAIT_MS / 1_000} seconds. If that process hangs, end it, ${THEN_RUN_AGAIN}`,
  );
}
