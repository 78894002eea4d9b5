/** Refuses what time decides while this machine's clock is wrong. The rest of a run goes on. */
import { z } from "zod";
import { isTooFar, wrongClockText } from "../../api/calls/clock-skew.ts";
import { CodedError } from "../../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import { accessAt } from "../org-user/access-end.ts";
import { type CallContext, clientCredentialsSchema, type OrganizationAccess } from "../resource.ts";

/**
 * Call it before the first request of a change that time decides.
 * @param what the change, as `rotate the token of ada@acme.example`
 * @throws CodedError `clock-skew`: nothing was sent
 */
export async function requireRightClock(
  what: string,
  owner: OrganizationAccess,
  context: Pick<CallContext, "clockSkewMs">,
): Promise<void> {
  const skew = await context.clockSkewMs(owner);
  if (isTooFar(skew)) throw wrongClock(what, skew);
}

/** The same for a new member, if the access has ended by the clock of the service. */
export async function requireOpenAccess(
  what: string,
  owner: OrganizationAccess & { readonly accessEnd?: string | undefined },
  context: Pick<CallContext, "clockSkewMs" | "now">,
): Promise<void> {
  if (owner.accessEnd === undefined) return;
  const skew = await context.clockSkewMs(owner);
  if (isTooFar(skew) && accessAt(owner.accessEnd, context.now - skew) === "ended")
    throw wrongClock(what, skew);
}

/**
 * For a removal: an OrgMember declares nothing after the end of the access.
 * @param outs of the user, the seat, or the token @throws CodedError `clock-skew` if it has ended by this machine's clock alone
 */
export async function requireTimeToEnd(
  userId: string,
  outs: object,
  context: Pick<CallContext, "clockSkewMs" | "people" | "now">,
): Promise<void> {
  const { success, data: owner } = endingSchema.safeParse(outs);
  if (!success || accessAt(owner.accessEnd, context.now) !== "ended") return;
  await requireRightClock(`end the access of ${context.people.nameOf(userId)}`, owner, context);
}

const endingSchema = z.object({
  organizationId: z.string(),
  accessEnd: z.string(),
  credentials: clientCredentialsSchema.optional(),
});

function wrongClock(what: string, skewMs: number): CodedError {
  return new CodedError("clock-skew", `cannot ${what}: ${wrongClockText(skewMs)}, ${THEN_RUN_AGAIN}`);
}
