/**
 * Keeps a failed lookup to its one sentence. Pulumi tells an Output's failure at once and looks at the Outputs that were
 * made of it later; of each of these Node would warn that its rejection was handled late.
 */
import process from "node:process";

const told = new WeakSet<Error>();

/** From now on Node says nothing of rejections with this error that are handled late; of all others it still does. */
export function allowLateHandling(failure: Error): void {
  told.add(failure);
  if (!process.listeners("rejectionHandled").includes(warnOfOthers)) {
    process.on("rejectionHandled", warnOfOthers);
  }
}

/** Node leaves its own warning out where somebody listens. */
function warnOfOthers(promise: Promise<unknown>): void {
  promise.catch((reason: unknown) => {
    const isTold = reason instanceof Error && told.has(reason);
    if (isTold || process.listenerCount("rejectionHandled") > 1) return;
    process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
  });
}
