/** An expiry that the service rounds or limits: it counts if it is before the wanted one. */
import { isLater } from "../../util/instants.ts";
import type { CallContext } from "../resource.ts";
import { type Expiry, limitedExpiry, type UserTokenOutputs } from "./schema.ts";

/**
 * The expiry after a renewal, if the service moved it, but not to the wanted one, or has not moved it for the same wish
 * before. Warns about a new wish.
 * @returns undefined if the service did what was wanted, or nothing: then the subscription is probably not renewed
 */
export function acceptedLimit(
  olds: UserTokenOutputs,
  expiry: Expiry,
  wanted: string,
  context: CallContext,
): Expiry | undefined {
  const { validUntil } = expiry;
  const isMoved = isLater(validUntil, olds.validUntil) || isLater(olds.validUntil, validUntil);
  const isKnown = olds.limit?.wanted === wanted;
  if (!isLater(wanted, validUntil) || !(isMoved || isKnown)) return undefined;
  if (!isKnown) {
    context.warn(
      `token of ${context.people.nameOf(olds.userId)} now expires at ${validUntil}, not at ${wanted} as requested: the service limits it. orgseat requests ${wanted} again when half of that time has passed.`,
    );
  }
  return limitedExpiry(expiry, wanted, context.sendTime());
}
