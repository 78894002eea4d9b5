/** Refuses what time decides about a member while this machine's clock is wrong. */

import type { CallContext, OrganizationAccess } from "../../resources/contexts.ts";
import { requireOpenAccess, requireRightClock } from "../../resources/members/right-clock.ts";
import { known } from "../../resources/unknown.ts";
import { isByTime, type Step, type Unit } from "../step.ts";
import type { Wanted } from "../wanted.ts";
import { nameOf } from "./sender.ts";

interface Sending {
  readonly access: OrganizationAccess;
  readonly wanted: Wanted;
  readonly context: CallContext;
}

/** Call it before the first request of a unit. @throws CodedError `clock-skew`: nothing was sent */
export async function requireTime({ steps }: Unit, sending: Sending): Promise<void> {
  const { access, wanted, context } = sending;
  const due = steps.find((step) => step.isPossible !== true && isByTime(step));
  if (due !== undefined) await requireRightClock(workOf(due, nameOf(sending, due.user)), access, context);
  if (wanted.leaving || !steps.some(({ call }) => call === "add user")) return;
  const owner = { ...access, accessEnd: known(wanted.accessUntil) };
  await requireOpenAccess(`add ${nameOf(sending)}`, owner, context);
}

function workOf({ call, cause, target }: Step, who: string): string {
  if (cause === "accessEnded") return `end the access of ${who}`;
  if (cause === "keptTimeOver") return `revoke the previous token of ${who}`;
  if (call === "renew token") return `renew the token of ${who}`;
  if (cause === "schedule" || cause === "newSchedule") return `rotate the token of ${who}`;
  return `issue a token for ${who} that is valid for ${target?.agrees?.expiresAt ?? "a period"}`;
}
