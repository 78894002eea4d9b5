/** The codes of all errors, stable across releases; docs/troubleshooting.md has a section about each. */

/** A code, and its meaning in one line. */
export const errorCodes = {
  // Requests: `ApiError.code`.
  "missing-credentials": "the configuration lacks the credentials that a request needs",
  blocked: "this run must not send the request",
  unsupported: "the platform does not support the request",
  unreachable: "orgseat cannot reach the service",
  "no-answer": "the response from the service was lost",
  "out-of-time": "the operation timed out before its request was sent",
  "rate-limited": "the service limits the number of requests",
  refused: "the service rejected the request",
  unauthorized: "the service rejected the credentials",
  "unknown-route": "the server does not recognize the request",
  "service-failed": "the service failed",
  "bad-answer": "the response from the service does not match its interface",
  "unreadable-item": "an item of a list from the service is unreadable",
  // People, seats, and tokens in the service.
  "user-exists": "the person is already a member",
  "email-taken": "the service rejects the email of a person whom its list of users lacks",
  "user-unknown": "the service may have added the person",
  "user-gone": "the person is no longer a member",
  "machine-user-unknown": "the service may have created the machine user",
  "machine-user-undecided": "an earlier run may have created the machine user",
  "no-seats": "not enough seats are available",
  "seat-exists": "the person already has a seat",
  "seat-unknown": "the service may have assigned the seat",
  "token-exists": "the person already has a token",
  "token-undecided": "a killed run may have issued a token of the person",
  "token-gone": "the service no longer has the token",
  "token-left": "the person still has a token that is not in the state",
  "seat-or-token-left": "the person still has a seat or a token that is not in the state",
  "token-date": "the expiry of the token is missing, in the past, or after the end of the subscription",
  "no-token": "the value of the token is not available",
  "subscription-ended": "the subscription of the organization has ended",
  "administrator-removal": "the run would remove an administrator or billing manager",
  // Other objects of the service.
  "incomplete-list": "a list from the service is incomplete or belongs to another organization",
  ambiguous: "several objects in the service match",
  "outcome-unknown": "the service may have executed the request",
  "not-found": "the object does not exist in the service or the backend",
  "not-ready": "a server or the vector database does not have the expected status",
  "cannot-adopt": "orgseat cannot adopt or import an existing object",
  // Configuration, programs, and rosters.
  "invalid-configuration": "the configuration is missing, invalid, or contradictory",
  "invalid-input": "an input of a resource or a lookup is invalid",
  "duplicate-declaration": "two resources declare the same object",
  "invalid-roster": "the roster or the offboarded list is invalid",
  "invalid-program": "orgseat cannot load the program or the project",
  "version-mismatch": "the folder contains a different release of orgseat",
  "invalid-flag": "a flag or an argument is invalid",
  "unknown-person": "the command line refers to an unknown person",
  "confirmation-required": "the command needs a confirmation or a decision",
  // Guards.
  "plan-changed": "the plan differs from the approved plan",
  "wrong-organization": "the roster, the configuration, and the state belong to different organizations",
  "another-roster": "the stack belongs to another roster",
  "other-resources": "the stack belongs to another program",
  "missing-roster-id": "the roster ID of the stack is missing from the roster",
  "unrelated-roster": "the roster and the state have no person in common",
  "new-stack": "the roster was applied to another stack before",
  "empty-roster": "the roster would leave no person with access",
  "short-roster": "the number of rows differs from `rows` in the roster",
  "address-in-use": "an email that a person gets belongs to another member",
  "wrong-user-id": "a `user_id` belongs to another person or to no member",
  "machine-user-exists": "a machine user with the same purpose exists, and no state has it",
  "foreign-key": "a token would be sealed for another person's public key",
  "unsealed-token": "a token would not be sealed",
  "protected-person": "a protected person would lose access",
  "removal-limit": "too many people would lose access",
  // Plans, states, and stacks.
  "not-approved": "the preview did not show the change",
  "invalid-plan": "orgseat cannot apply the plan file",
  "stack-locked": "another run has locked the stack",
  cancelled: "the command was stopped or declined",
  "pulumi-failed": "Pulumi failed",
  "missing-pulumi": "orgseat cannot use the Pulumi CLI",
  "newer-state": "a newer release wrote the state",
  "empty-passphrase": "the passphrase that encrypts the state is empty",
  "invalid-state": "orgseat cannot read the state",
  // This machine.
  "file-changed": "a file changed while the command used it",
  "file-error": "orgseat cannot use a file or folder",
  "invalid-audit-log": "the audit log is damaged",
  "clock-skew": "the clock of this machine is wrong",
  "internal-error": "an internal error occurred in orgseat",
} satisfies Readonly<Record<string, string>>;

export type ErrorCode = keyof typeof errorCodes;

/** An error that a user can act on. */
export class CodedError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** An error that only a maintainer can act on. */
export class InternalError extends CodedError {
  constructor(message: string) {
    super("internal-error", `internal error; please report it: ${message}`);
  }
}

/** The code of an error, otherwise of its cause; undefined without one. */
export function codeOf(error: unknown): ErrorCode | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && isErrorCode(error.code) ? error.code : codeOf(error.cause);
}

/** A text and, at its end, a code in brackets: the form in which an error crosses Pulumi, and in which a user sees it. */
export function withCode(
  text: string,
  code: ErrorCode | undefined,
  paint: (mark: string, kind: "code") => string = (mark) => mark,
): string {
  return code === undefined ? text : `${text} ${paint(`[${code}]`, "code")}`;
}

/** The text of `withCode` without the codes at the ends of its lines, and the first of these. */
export function splitCode(text: string): { readonly text: string; readonly code: ErrorCode | undefined } {
  let first: ErrorCode | undefined;
  const plain = text.replace(/ \[([a-z]+(?:-[a-z]+)*)\]$/gm, (whole, code: string) => {
    if (!isErrorCode(code)) return whole;
    first ??= code;
    return "";
  });
  return { text: plain, code: first };
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}
