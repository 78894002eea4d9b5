/** What an answer of the service means for a step: the only classification. Pure. */
import { type ApiError, type ApiErrorCode, isUnfinished } from "../../api/calls/errors.ts";
import type { DeleteAnswer } from "../../api/calls/organization.ts";
import type { Outcome } from "../advance.ts";
import type { Call } from "../step.ts";

/** The status of a refusal that another run, or a later moment, can change without a change of the program. */
const NO_SEATS = 402;
/** The same without a status. A read that failed has no effect either. */
const passing: readonly ApiErrorCode[] = [
  ...(["rate-limited", "unreachable", "out-of-time"] as const),
  ...(["no-answer", "service-failed", "bad-answer"] as const),
];

/** @param error a failed call, after the retries of the client */
export function outcomeOf(call: Call, error: ApiError, at: string): Outcome {
  if (error.effectUnknown) return { is: isUnfinished(error) ? "late" : "lost", at };
  const { code, status } = error;
  if (code === "refused" && status === 409 && hasConflicts(call)) return { is: "conflict", at };
  const isForNow = passing.includes(code) || (code === "refused" && status === NO_SEATS);
  return { is: "refused", isForGood: !isForNow, at };
}

/** What a 409 says that there is already. Of a removal it says that something has to be removed before. */
function hasConflicts(call: Call): boolean {
  return call === "add user" || call === "assign seat" || call === "issue token";
}

interface Removal {
  /** Whether lists have proven what a delete did not find. */
  readonly isProven: boolean;
  /** Whether a later removal of the same user proves it, or decides. */
  readonly isFollowed: boolean;
}

/** A 404 alone proves nothing: a list does, or a success of the same user. The last call decides by the rule of absence. */
export function outcomeOfDelete(
  answer: DeleteAnswer,
  { isProven, isFollowed }: Removal,
  at: string,
): Outcome {
  if (answer !== "gone") return { is: "ok", at };
  return { is: isProven || !isFollowed ? "gone" : "unproven", at };
}

/** Whether the step is done as far as the service can say, so that the next one follows. */
export function isDone({ is }: Outcome): boolean {
  return is === "ok" || is === "gone" || is === "unproven";
}
