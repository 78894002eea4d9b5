/**
 * What the writes of this run have confirmed. A service can show a write seconds later: until the operation times out, an
 * error or a list that denies a confirmed write is only late.
 */

import type { ApiError } from "../../api/calls/errors.ts";
import { RUN_AGAIN } from "../../util/text.ts";
import type { CallContext, PlanContext, TokenOwner } from "../contexts.ts";
import { isAbsent, isRefused, withNextStep } from "../failures.ts";
import { growingPauses, LAGGING } from "../pauses.ts";

type Confirmed = "user added" | "user removed" | "seat removed";

export function noteWrite(write: Confirmed, owner: TokenOwner, { run }: Pick<PlanContext, "run">): void {
  run.notes.add(keyOf(write, owner));
}

export function wasWritten(write: Confirmed, owner: TokenOwner, { run }: Pick<PlanContext, "run">): boolean {
  return run.notes.has(keyOf(write, owner));
}

/** Something else was written since. */
export function forgetWrite(write: Confirmed, owner: TokenOwner, { run }: Pick<PlanContext, "run">): void {
  run.notes.delete(keyOf(write, owner));
}

function keyOf(write: Confirmed, { organizationId, userId }: TokenOwner): string {
  return `${write}: ${organizationId}/${userId}`;
}

/** Makes a call about a user, again while the service does not know a user whom this run has added. */
export async function onceKnown<T>(
  owner: TokenOwner,
  call: () => Promise<T>,
  context: CallContext,
): Promise<T> {
  let pause: ReturnType<typeof growingPauses> | undefined;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isUnknownUser(error) || !wasWritten("user added", owner, context)) throw error;
      pause ??= growingPauses(context, LAGGING);
      if (await pause()) continue;
      const who = context.people.nameOf(owner.userId);
      const step = `This run added ${who}, and the service did not know the user until the operation timed out (orgseat:operationTimeout). ${RUN_AGAIN}.`;
      throw withNextStep(error, step);
    }
  }
}

/** A 422 about anything else stays one. */
function isUnknownUser(error: unknown): error is ApiError {
  return isAbsent(error) || (isRefused(error, 422) && error.reason.includes("user_id"));
}
