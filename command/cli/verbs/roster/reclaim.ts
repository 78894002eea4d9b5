/** `orgseat reclaim`. */
import { counted, shortList } from "../../../../provider/util/text.ts";
import { NOTICE_DAYS, type ReclaimResult, reclaimSeats } from "../../../verbs/reclaim.ts";
import type { ReclaimFlags } from "../../line/flags.ts";
import { openForOutput } from "../../open.ts";
import { NOTHING_SENT, printResult } from "../../output.ts";

export async function reclaimVerb(flags: ReclaimFlags): Promise<void> {
  const { lastSeen, idleDays, remove: removeRows } = flags;
  const organization = await openForOutput(flags, { acceptEndedSubscription: true });
  const result = await reclaimSeats(organization, { lastSeen, idleDays, removeRows });
  printResult(flags, result, () => reclaimToText(result));
}

function reclaimToText({ reclaimed, noticed, waiting, withdrawn, diff }: ReclaimResult): string {
  const line = (what: string, who: readonly string[]) =>
    who.length === 0 ? [] : [`${what}: ${counted(who.length, "seat")} (${shortList(who)})`];
  return [
    diff || "No change of the roster.",
    ...line("Taken out of the roster", reclaimed),
    ...line(`Noticed, to take out in ${NOTICE_DAYS} days or later`, noticed),
    ...line(`Idle, with a notice of fewer than ${NOTICE_DAYS} days`, waiting),
    ...line("Notice withdrawn, because the seat is in use or exempt", withdrawn),
    ...(diff === "" ? [] : [NOTHING_SENT]),
  ].join("\n");
}
