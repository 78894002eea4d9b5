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

/** The error with a next step behind its message. */
export function withNextStep(error: ApiError, step: string): Error {
  return new Error(`${error.message.replace(/[.\s]*$/, "")}. ${step}`, { cause: error });
}

/** The next step for a user whom the service does not know any more (D44). */
export function memberIsGone(who: string): string {
  return `${who} is not in the organization any more. Replace the OrgUser (\`pulumi up --replace <its URN>\`), or remove the person from the program.`;
}
