/**
 * Suppresses Node's warnings about a failed lookup. Pulumi reports the failure of an Output immediately and awaits the
 * Outputs made from it later; Node would warn about each of them that its rejection was handled late.
 */
import process from "node:process";

const reported = new WeakSet<Error>();

/** Suppresses the warning for rejections with this error, and for no others. */
export function allowLateHandling(failure: Error): void {
  reported.add(failure);
  if (!process.listeners("rejectionHandled").includes(warnOfOthers)) {
    process.on("rejectionHandled", warnOfOthers);
  }
}

/** Replaces Node's own warning, which Node omits if there is a listener. */
function warnOfOthers(promise: Promise<unknown>): void {
  promise.catch((reason: unknown) => {
    const isReported = reason instanceof Error && reported.has(reason);
    if (isReported || process.listenerCount("rejectionHandled") > 1) return;
    process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
  });
}
