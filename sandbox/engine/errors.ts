/** An error whose message is meant for the person at the command line: no stack trace is shown. */
export class UserError extends Error {
  override name = "UserError";
  readonly exitCode: number;
  constructor(message: string, exitCode = 255) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
