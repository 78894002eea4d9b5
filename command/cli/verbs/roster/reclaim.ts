/** `orgseat reclaim`. */
import { counted, shortList } from "../../../../provider/util/text.ts";
import { NOTICE_DAYS, reclaimSeats } from "../../../verbs/reclaim.ts";
import type { ReclaimFlags } from "../../line/flags.ts";
import { organizationOptions } from "../../line/options.ts";
import { openForOutput } from "../../open.ts";
import { print, printJson } from "../../output.ts";

export async function reclaimVerb(flags: ReclaimFlags): Promise<void> {
  const { lastSeen, idleDays, remove: removeRows } = flags;
  const organization = await openForOutput({ ...organizationOptions(flags), acceptEndedSubscription: true });
  const result = await reclaimSeats(organization, { lastSeen, idleDays, removeRows });
  if (flags.json) {
    printJson({ status: "succeeded", ...result });
    return;
  }
  const { reclaimed, noticed, waiting, withdrawn, diff } = result;
  const line = (what: string, who: readonly string[]) =>
    who.length === 0 ? [] : [`${what}: ${counted(who.length, "seat")} (${shortList(who)})`];
  const lines = [
    ...line("Taken out of the roster", reclaimed),
    ...line(`Noticed, to take out in ${NOTICE_DAYS} days or later`, noticed),
    ...line(`Idle, with a notice of fewer than ${NOTICE_DAYS} days`, waiting),
    ...line("Notice withdrawn, because the seat is in use or exempt", withdrawn),
  ];
  const [before, after] =
    diff === ""
      ? ["No change of the roster.", []]
      : [diff, ["Nothing was sent. Show what the change means with `orgseat preview`."]];
  print([before, ...lines, ...after].join("\n"));
}
