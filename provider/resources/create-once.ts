/**
 * Creates exactly one object even if responses are lost: what the service contains decides whether to send the request
 * again.
 */
import { ApiError, isUnfinished } from "../api/calls/errors.ts";
import type { OperationTime } from "./contexts.ts";
import { mayHaveSucceeded } from "./failures.ts";

/** How many times a create request is sent if its response is lost each time. */
const MOST_ATTEMPTS = 3;
/** The pause before a look at the service and the next attempt, in milliseconds. */
export const RETRY_PAUSE_MS = 500;

export interface Creation<Created> {
  /** @param attempt counts from 1 */
  send(attempt: number): Promise<Created>;
  /**
   * Whether the service has the object of a lost response.
   * @returns undefined if the service has none, so that it is sent again
   * @throws if the service does not report, or may still be creating one and would not refuse a second one
   */
  look(lost: ApiError): Promise<Created | undefined>;
  /** Decides about any other failure. Default: throws it. @param lost the lost response of an earlier attempt */
  decide?(failure: unknown, lost: ApiError | undefined): Promise<Created>;
  /** Called before the next attempt. */
  again?(): void;
  /** The error after the last attempt, which created nothing. */
  giveUp(lost: ApiError, attempts: number): Error | Promise<Error>;
}

export async function createOnce<Created>(
  { send, look, decide, again, giveUp }: Creation<Created>,
  time: Pick<OperationTime, "pause" | "elapsed" | "operation">,
): Promise<Created> {
  let lost: ApiError | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt);
    } catch (error) {
      if (!mayHaveSucceeded(error)) {
        if (decide) return decide(error, lost);
        throw error;
      }
      lost = error;
    }
    // A cancelled run looks at once, and sends no creation again.
    const mayGoOn = await pauseAfter(lost, time);
    const found = await look(lost);
    if (found !== undefined) return found;
    if (attempt === MOST_ATTEMPTS || !mayGoOn) throw await giveUp(lost, attempt);
    again?.();
  }
}

/** @returns whether there is time for the pause that the service asks for, and the run is not cancelled */
async function pauseAfter(
  { retryAfterMs = 0 }: ApiError,
  time: Pick<OperationTime, "pause" | "elapsed" | "operation">,
): Promise<boolean> {
  const ms = Math.max(RETRY_PAUSE_MS, retryAfterMs);
  return time.elapsed() + ms < time.operation.deadline && (await time.pause(ms));
}

/** The objects of a list that are new since before a creation. */
interface NewObjects<Item> {
  /** Such as `servers`. */
  readonly what: string;
  /** @throws Error if it does not show whether there is a new one */
  list(): Promise<readonly Item[]>;
  /** The reason why it is unclear which one of several is the created one. */
  several(found: readonly Item[]): string;
  /** The error if the object may exist. */
  mayExist(why: string): Error;
}

/**
 * The object of a lost response: the only new one in the list.
 * @returns undefined if there is none, so that it is sent again
 * @throws Error if there are several, or if the list cannot tell
 */
export async function onlyNew<Item>(
  lost: ApiError,
  { what, list, several, mayExist }: NewObjects<Item>,
): Promise<Item | undefined> {
  const found = await list().catch((error: unknown) => {
    throw error instanceof ApiError ? mayExist(`listing the ${what} failed`) : error;
  });
  const [only, ...others] = found;
  if (only === undefined && isUnfinished(lost)) throw mayExist("the service may still be creating it");
  if (others.length > 0) throw mayExist(several(found));
  return only;
}
