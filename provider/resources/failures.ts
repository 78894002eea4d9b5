/** Adds next steps to failed calls. */
import { ApiError } from "../api/calls/errors.ts";
import { PartiallyCreated } from "./resource.ts";

/** Whether the service refused a call with this status, in the contract's form. */
export function isRefused(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.code === "refused" && error.status === status;
}

/** Whether the service may have executed the call although it failed. */
export function mayHaveSucceeded(error: unknown): error is ApiError {
  return error instanceof ApiError && error.effectUnknown;
}

/**
 * The subject of a next step, stable across releases: a program with more context, such as a roster, replaces the step
 * by its own text.
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
  "token-undecided",
  "token-gone",
  "token-left",
  "seat-or-token-left",
  "subscription-ended",
] as const;
export type AdviceCode = (typeof adviceCodes)[number];

/** A failed call whose message ends with a next step. */
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
 * The error with a next step appended to its message.
 * @param advice the subject of the step, where it has a code
 * @param effect what the method did before it failed, as a sentence
 */
export function withNextStep(error: ApiError, step: string, advice?: AdviceCode, effect = ""): AdvisedError {
  const reason = `${error.message.replace(/[.\s]*$/, "")}. ${effect}`.trim();
  return new AdvisedError(error, reason, step, advice);
}

/** A lost creation that may be one of several objects: a further attempt would make one more. */
export class AmbiguousCreation extends Error {
  readonly code = "ambiguous";
}

/**
 * Completes what exists already. Where that fails, the state keeps it, and the next update continues.
 * @param seen the outputs after the failure
 */
export async function keepIfFailed<Outs extends object>(
  id: string,
  complete: () => Promise<Outs>,
  seen: (failure: Error) => Outs,
): Promise<Outs> {
  try {
    return await complete();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new PartiallyCreated(id, seen(error), error.message, error);
  }
}

/** The next step for a user who is no longer in the organization (D44). */
export function userIsGone(who: string): string {
  return `${who} is no longer in the organization. Replace the OrgUser (\`pulumi up --replace <its URN>\`), or remove the person from the program.`;
}
