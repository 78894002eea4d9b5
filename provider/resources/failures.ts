/** From a failed call to the sentence its reader needs: the property or resource, the call, and the next step. */
import { ApiError } from "../api/errors.ts";

/** Whether a call was refused with this status in the contract's own form. */
export function isRefused(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.code === "refused" && error.status === status;
}

/** Whether the service may have done what was asked although no answer of the contract came back. */
export function mayHaveHappened(error: unknown): error is ApiError {
  return error instanceof ApiError && error.effectUnknown;
}

/**
 * What a next step is about, stable across releases: a program that knows more than the provider, such as that people are
 * rows of a roster, chooses words of its own by it.
 */
export const adviceCodes = [
  "user-exists",
  "user-unknown",
  "managed-user-unknown",
  "managed-user-undecided",
  "user-gone",
  "seat-exists",
  "seat-unknown",
  "no-seats",
  "token-exists",
  "token-unknown",
  "token-gone",
  "token-left",
  "seat-or-token-left",
  "subscription-ended",
] as const;
export type AdviceCode = (typeof adviceCodes)[number];

/** A failed call with a next step behind its message. */
export class AdvisedError extends Error {
  override readonly cause: ApiError;
  /** The message without the next step. */
  readonly reason: string;
  readonly advice: AdviceCode | undefined;

  constructor(cause: ApiError, reason: string, step: string, advice: AdviceCode | undefined) {
    super(`${reason} ${step}`.trim());
    this.name = "AdvisedError";
    this.cause = cause;
    this.reason = reason;
    this.advice = advice;
  }
}

/**
 * The error with a next step behind its message.
 * @param advice what the step is about, where that has a code
 * @param effect what the method did before it failed, as a sentence
 */
export function withNextStep(error: ApiError, step: string, advice?: AdviceCode, effect = ""): AdvisedError {
  const reason = `${error.message.replace(/[.\s]*$/, "")}. ${effect}`.trim();
  return new AdvisedError(error, reason, step, advice);
}

/** The next step for a user whom the service does not know any more (D44). */
export function memberIsGone(who: string): string {
  return `${who} is not in the organization any more. Replace the OrgUser (\`pulumi up --replace <its URN>\`), or remove the person from the program.`;
}
