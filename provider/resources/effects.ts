/**
 * What a create or an update will send, by the old outputs and the new inputs alone: the resources go by it, and so can
 * whoever tells a preview in words. What a removal takes away is told by `isKept` in removal.ts.
 */
import { type DeclaredDates, renewalReason } from "./renewal.ts";

/** Whether an update of a SeatAssignment makes call 6: the answer of the one before is outstanding. */
export function isAssignedAgain(olds: { readonly confirmed: boolean }): boolean {
  return !olds.confirmed;
}

/** Whether a creation of a UserToken, where the service says that the user has a token, revokes that one first (call 9). */
export function revokesExisting(news: { readonly replaceExisting?: boolean | undefined }): boolean {
  return news.replaceExisting === true;
}

/** Whether an update of a UserToken makes call 8. @param now milliseconds since 1970 */
export function isRenewed(olds: { readonly validUntil: string }, news: DeclaredDates, now: number): boolean {
  return renewalReason(olds.validUntil, news, now) !== undefined;
}
