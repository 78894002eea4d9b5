/** Ctrl-C and SIGTERM: the first starts no new steps, the second kills all processes. */
import type { EventBus } from "../events.ts";
import type { Interruption } from "../run/operation.ts";

export function interruptionOf(events: EventBus): Interruption & { release: () => void } {
  const asked = new AbortController();
  const forced = new AbortController();
  const onSignal = () => {
    if (asked.signal.aborted) {
      forced.abort();
      return;
    }
    const message =
      "^C received; cancelling. If you would like to terminate immediately, press ^C again.\n" +
      "Note that terminating immediately may lead to orphaned resources and other inconsistencies.\n";
    events.emit({ kind: "stdout", message });
    asked.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    asked: asked.signal,
    forced: forced.signal,
    release: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
