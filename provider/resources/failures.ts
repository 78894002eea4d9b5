/** Adds next steps to failed calls. */
import { ApiError, saysAbsent } from "../api/calls/errors.ts";
import { CodedError, type ErrorCode } from "../util/error-codes.ts";
import { withoutStop } from "../util/text.ts";
import { PartiallyCreated } from "./resource.ts";

/** Whether the service refused a call with this status, in the contract's form. */
export function isRefused(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.code === "refused" && error.status === status;
}

/** Whether the service answered that it does not have the object. It also hides objects from accounts without rights. */
export function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && saysAbsent(error);
}

/** Whether the service may have executed the call although it failed. */
export function mayHaveSucceeded(error: unknown): error is ApiError {
  return error instanceof ApiError && error.effectUnknown;
}

/** A failed call whose message ends with a next step. */
export class AdvisedError extends Error {
  override readonly cause: ApiError;
  /** Undefined if the code of the failed call is sufficient. */
  readonly code: ErrorCode | undefined;

  constructor(cause: ApiError, reason: string, step: string, code: ErrorCode | undefined) {
    super(`${reason} ${step}`.trim());
    this.name = "AdvisedError";
    this.cause = cause;
    this.code = code;
  }
}

/**
 * The error with a next step appended to its message.
 * @param code what the step is about, if the code of the call does not say it
 * @param effect what the method did before it failed, as a sentence
 */
export function withNextStep(error: ApiError, step: string, code?: ErrorCode, effect = ""): AdvisedError {
  const reason = `${withoutStop(error.message)}. ${effect}`.trim();
  return new AdvisedError(error, reason, step, code);
}

/** The failed call of an error; undefined if no call failed. */
export function failedCallOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  return error instanceof AdvisedError ? error.cause : undefined;
}

/**
 * Whether a creation failed for a reason that is not about its person alone.
 * @param hasRemoved whether the run has just removed what the person had, so that the service knows the person
 */
export function concernsOthers({ code, status }: ApiError, hasRemoved: boolean): boolean {
  if (code === "blocked" || code === "unsupported") return false;
  if (code !== "refused") return true;
  // A success with an error in it.
  if (status !== undefined && status < 300) return true;
  return status === 402 || status === 403 || (status === 404 && hasRemoved);
}

/** The service answered that it did a write, and what it shows afterwards proves that it did not. */
export class WithoutEffect extends CodedError {}

/** A lost creation that may be one of several objects: a further attempt would make one more. */
export class AmbiguousCreation extends CodedError {
  constructor(message: string) {
    super("ambiguous", message);
  }
}

/**
 * Completes what exists already. If that fails, the state keeps it, and the next update continues.
 * @param seen the outputs after the failure
 */
export async function keepIfFailed<Done>(
  id: string,
  complete: () => Promise<Done>,
  seen: (failure: Error) => object,
): Promise<Done> {
  try {
    return await complete();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new PartiallyCreated(id, seen(error), error);
  }
}

/** The next step after a 402. */
export const RENEW_SUBSCRIPTION = "Renew the organization's subscription, then run `pulumi up` again.";
