/** What a change of a UserToken does. Pure. */
import { z } from "zod";
import { isLater } from "../../util/instants.ts";
import type { Action } from "../actions.ts";
import {
  type Change,
  isPresent,
  type Operation,
  type OperationContext,
  operationsBy,
  perform,
} from "../operations.ts";
import type { PreviousToken } from "../resource.ts";
import { duePrevious, removable } from "../rotation-schedule.ts";
import { holdsUnknown } from "../unknown.ts";
import { type Cause, causeOfUpdate, keptToken } from "./cause.ts";
import { datesIn, declaredDate, isDueByTime, isPast, periodOf, textOf } from "./dates.ts";
import { limitSchema, previousSchema } from "./schema.ts";

type Properties = Readonly<Record<string, unknown>>;

export function tokenOperations(change: Change, context: OperationContext): Operation[] {
  const { action, id = "", olds = {}, news = {}, deleteFirst = false, isKept = false } = change;
  const { now } = context;
  const act = (...names: Action[]) =>
    names.flatMap((name) => perform(change, name, { facts: factsOf(news) }));
  if (action === "replace") {
    if (isTooLate(news, now)) return act("revokeToken", "refuseToken");
    if (deleteFirst) return act("reissueToken");
    return keptToken(olds, news) === undefined ? act("exchangeToken") : act("issueToken", "keepToken");
  }
  return operationsBy(change, {
    create: () => act(creationOf(change, news, now)),
    update() {
      const due = removableTokens(id, previousIn(olds), context);
      const revoked = due.flatMap((one) =>
        perform(change, "revokePrevious", { writes: () => [revokesPrevious(one)] }),
      );
      const update = updateOf(updateCauseIn(olds, news, now), olds);
      if (update === "note" && revoked.length > 0) return revoked;
      // Only the run shows whether an unknown date renews the token.
      const dates = [news.expiresAt, news.subscriptionExpiresAt, news.renewBefore];
      if (update === "renewToken" || update === "shortenToken" || !dates.some(holdsUnknown))
        return [...revoked, ...act(update)];
      return [...revoked, ...perform(change, update, { writes: () => ["renew token"] })];
    },
    remove: () => act(isKept ? "keepToken" : "revokeToken"),
  });
}

/** The kept tokens in outputs. */
export function previousIn({ previous }: { readonly previous?: unknown }): PreviousToken[] {
  return previousSchema.catch([]).parse(previous);
}

/** Those of them that an update of this run revokes. */
export function removableTokens(
  userId: string,
  previous: readonly PreviousToken[],
  context: OperationContext,
): PreviousToken[] {
  return removable("UserToken", userId, { previous, writeOf: revokesPrevious }, context);
}

/** The write of an update that revokes a kept token. */
function revokesPrevious({ tokenId }: PreviousToken): string {
  return `revoke token ${tokenId}`;
}

function factsOf(news: Properties) {
  const expiresAt = textOf(news.expiresAt) ?? textOf(news.subscriptionExpiresAt);
  const emails = news.sendEmail === true ? ["token"] : undefined;
  return {
    "issue token": { expiresAt, emails, isSealed: true },
    "renew token": { expiresAt },
    "adopt token": { isSealed: true },
  };
}

/**
 * Whether a creation of a UserToken adopts the user's token, if there is one, instead of issuing one. A rotation requests
 * a new value, including of an adopted token.
 */
export function adoptsToken(news: {
  readonly adopt?: boolean | string | undefined;
  readonly rotation?: string | undefined;
}): boolean {
  return news.adopt !== undefined && news.adopt !== false && news.rotation === undefined;
}

function creationOf(
  { isHalfDone = false, lacksObject = false, isRefused = false }: Change,
  news: Properties,
  now: number,
): Action {
  const { adopt, rotation, replaceExisting } = news;
  const isAdopted = adopt === true || typeof adopt === "string";
  // The token that an interrupted replacement revoked is issued again, not adopted.
  if (!isHalfDone && adoptsToken({ adopt: isAdopted, rotation: isPresent(rotation) ? "given" : undefined }))
    return lacksObject ? "issueMissingToken" : "adoptToken";
  if (isTooLate(news, now)) return "refuseToken";
  if (isRefused) return "undecided";
  return replaceExisting === true && !lacksObject ? "replaceToken" : "issueToken";
}

/** Whether the date of a new token has passed: the provider then refuses to issue it. */
function isTooLate(news: Properties, now: number): boolean {
  const wanted = declaredDate(datesIn(news), now);
  return wanted !== undefined && !holdsUnknown(wanted) && isPast(wanted, now);
}

/** Undefined if the state does not say how long the token is valid. */
function updateCauseIn(olds: Properties, news: Properties, now: number): Cause | undefined {
  const token = tokenIn(olds);
  return token && causeOfUpdate(token, declaredIn(news), now);
}

function tokenIn(olds: Properties) {
  const { validUntil } = olds;
  if (typeof validUntil !== "string") return undefined;
  const limit = limitSchema.safeParse(olds.limit).data;
  return { ...declaredIn(olds), validUntil, tokenId: textOf(olds.tokenId), limit };
}

/** Whether time decides the update, or the date of a new token. @param now milliseconds since 1970 */
export function isTokenByTime({ action, olds = {}, news = {} }: Change, now: number): boolean {
  if (action === "create" || action === "replace") return periodOf(datesIn(news)) !== undefined;
  const token = tokenIn(olds);
  if (action !== "update" || token === undefined) return false;
  const isRenewal = updateCauseIn(olds, news, now)?.kind === "renewal";
  return duePrevious(previousIn(olds), now).length > 0 || (isRenewal && isDueByTime(token, declaredIn(news)));
}

function updateOf(cause: Cause | undefined, { validUntil }: Properties): Action {
  if (cause?.kind === "refusedDate") return "refuseExpiry";
  // A changed value is an update only where the provider refuses it.
  if (cause?.kind === "refusedValue" || cause?.kind === "replaced") return "refuseToken";
  if (cause?.kind !== "renewal") return "note";
  return isLater(String(validUntil), cause.due.until) ? "shortenToken" : "renewToken";
}

/** Without user and organization: those of an update are the same. */
function declaredIn(properties: Properties) {
  const rotation = textOf(properties.rotation);
  return {
    ...datesIn(properties),
    ...keepingSchema.parse(properties),
    ...{ userId: "", organizationId: "", rotation },
  };
}

const keepingSchema = z.object({
  recipients: z.array(z.string()).optional().catch(undefined),
  keepValue: z.boolean().optional().catch(undefined),
});
