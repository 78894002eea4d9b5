/**
 * Stack traces that are never read. Pulumi captures one for each promise, and an unlimited one for each resource, which
 * it keeps in the state; the first frame of that one is a file of this package. They take a quarter of a program's
 * time.
 */

/**
 * Errors get no stack trace until the returned function is called. An accessor does that: Pulumi sets the limit to
 * infinity for each resource, which would override a plain 0.
 */
export function suspendStackCapture(): () => void {
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
  const suspended = { configurable: true, enumerable: true, get: () => 0, set: () => undefined };
  // Hardened environments freeze `Error`: there everything stays as it is.
  if (!Reflect.defineProperty(Error, "stackTraceLimit", suspended)) return () => undefined;
  return () => {
    if (before === undefined) Reflect.deleteProperty(Error, "stackTraceLimit");
    else Object.defineProperty(Error, "stackTraceLimit", before);
  };
}

/**
 * Resumes the capture, and gives an error created in the meantime the stack trace of the line that called the
 * constructor.
 */
export function withStackTrace(error: unknown, resume: () => void, construct: NewableFunction): unknown {
  resume();
  if (error instanceof Error) Error.captureStackTrace(error, construct);
  return error;
}
