/**
 * Creates exactly one object even if responses are lost: what the service contains decides whether to send the request
 * again.
 */
import type { ApiError } from "../api/calls/errors.ts";
import { mayHaveSucceeded } from "./failures.ts";
import type { CallContext } from "./resource.ts";

/** How many times a create request is sent if its response is lost each time. */
const MOST_ATTEMPTS = 3;
/** The pause before the next attempt, in milliseconds. */
export const RETRY_PAUSE_MS = 500;

export interface Creation<Created> {
  /** @param attempt counts from 1 */
  send(attempt: number): Promise<Created>;
  /**
   * Whether the service has the object of a lost response.
   * @returns undefined if the service has none, so that it is sent again
   * @throws if the service does not report
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
  { pause }: Pick<CallContext, "pause">,
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
    const found = await look(lost);
    if (found !== undefined) return found;
    // A cancelled run sends no creation again.
    if (attempt === MOST_ATTEMPTS || !(await pause(RETRY_PAUSE_MS))) throw await giveUp(lost, attempt);
    again?.();
  }
}
