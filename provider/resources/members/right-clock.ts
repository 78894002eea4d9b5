/** Refuses what time decides while this machine's clock is wrong. The rest of a run goes on. */
import { isTooFar, wrongClockText } from "../../api/calls/clock-skew.ts";
import { CodedError } from "../../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import type { CallContext, OrganizationAccess } from "../contexts.ts";
import { accessAt } from "../org-user/access-end.ts";

/**
 * Call it before the first request of a change that time decides.
 * @param what the change, as `rotate the token of ada@acme.example`
 * @throws CodedError `clock-skew`: nothing was sent
 */
export async function requireRightClock(
  what: string,
  owner: OrganizationAccess,
  context: Pick<CallContext, "service">,
): Promise<void> {
  const skew = await context.service.clockSkewMs(owner);
  if (isTooFar(skew)) throw wrongClock(what, skew);
}

/** The same for a new member, if the access has ended by the clock of the service. */
export async function requireOpenAccess(
  what: string,
  owner: OrganizationAccess & { readonly accessEnd?: string | undefined },
  context: Pick<CallContext, "service" | "now">,
): Promise<void> {
  if (owner.accessEnd === undefined) return;
  const skew = await context.service.clockSkewMs(owner);
  if (isTooFar(skew) && accessAt(owner.accessEnd, context.now - skew) === "ended")
    throw wrongClock(what, skew);
}

function wrongClock(what: string, skewMs: number): CodedError {
  return new CodedError("clock-skew", `cannot ${what}: ${wrongClockText(skewMs)}, ${THEN_RUN_AGAIN}`);
}
