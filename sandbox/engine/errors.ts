/** The Pulumi CLI's exit codes. */
export const exitCodes = {
  error: 1,
  usage: 2,
  stackNotFound: 6,
  noChanges: 7,
  internal: 255,
} as const;

/** An error whose message is meant for the person at the command line: no stack trace is shown. */
export class UserError extends Error {
  override name = "UserError";
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.error) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
