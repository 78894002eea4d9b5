/** Limits the diagnostics that a run writes once per person. */
import type { Log } from "./engine-log.ts";
import { LISTED } from "./util/plural.ts";

const RENEWAL = "renew token of ";
const MORE = `${RENEWAL}more people: not listed here, counted as updates`;

/** A log with at most 20 renewals and one line about the others: a renewed subscription renews the tokens of everybody. */
export function limitRenewals(log: Log): Log {
  const listed = new Set<string>();
  let isLimitReached = false;
  return {
    write(severity, text) {
      if (severity !== "info" || !text.startsWith(RENEWAL)) return log.write(severity, text);
      if (listed.has(text)) return;
      if (listed.size < LISTED) {
        listed.add(text);
        log.write(severity, text);
      } else if (!isLimitReached) {
        isLimitReached = true;
        log.write(severity, MORE);
      }
    },
    flush: () => log.flush(),
  };
}
