/** The Pulumi CLI's exit codes. */
export const pulumiExitCodes = {
  error: 1,
  usage: 2,
  stackNotFound: 6,
  noChanges: 7,
  internal: 255,
} as const;

/** An error with a message for the user: the command prints no stack trace. */
export class UserError extends Error {
  override name = "UserError";
  readonly exitCode: number;
  constructor(message: string, exitCode: number = pulumiExitCodes.error) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
