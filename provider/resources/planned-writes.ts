/**
 * What a create or an update will send, by the old outputs and the new inputs alone, for the resources and for previews.
 * `isKept` in removal.ts says what a removal removes.
 */
import { instantMs } from "../util/instants.ts";
import { type Knowable, unknown } from "./unknown.ts";

/** Whether an update of a SeatAssignment assigns the seat: the previous response was lost. */
export function isAssignedAgain(olds: { readonly confirmed: boolean }): boolean {
  return !olds.confirmed;
}

/** Whether a creation of a UserToken revokes a token that the user already has. */
export function revokesExisting(news: { readonly replaceExisting?: boolean | undefined }): boolean {
  return news.replaceExisting === true;
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

/** The inputs of a UserToken that say what the state keeps of its value. */
export interface Keeping {
  /** Public keys of age. */
  readonly recipients?: readonly string[] | undefined;
  /** Default: true. */
  readonly keepValue?: boolean | undefined;
}

/** Each once and in order: the order means nothing. */
export function recipientsIn(given: readonly string[]): string[] {
  return [...new Set(given)].toSorted();
}

/** The inputs whose change needs a new token, because the old value is sealed for others, or unknown. */
export function reissuedFor(olds: Keeping, news: Knowable<Keeping>): ("recipients" | "keepValue")[] {
  const { recipients, keepValue } = news;
  const isSame =
    recipients !== unknown &&
    recipientsIn(olds.recipients ?? []).join() === recipientsIn(recipients ?? []).join();
  if (!isSame) return ["recipients"];
  return olds.keepValue === false && keepValue !== false ? ["keepValue"] : [];
}

/** Whether the replacement of a ServiceAccount keeps the old account for a while. */
export function keepsPrevious(
  olds: { readonly organizationId: unknown },
  news: { readonly organizationId: unknown; readonly keepPreviousFor?: unknown },
): boolean {
  return typeof news.keepPreviousFor === "string" && news.organizationId === olds.organizationId;
}

/** The kept accounts of a ServiceAccount that an update deletes. @param now milliseconds since 1970 */
export function duePrevious<Previous extends { readonly removeAfter: string }>(
  previous: readonly Previous[],
  now: number,
): Previous[] {
  return previous.filter(({ removeAfter }) => instantMs(removeAfter) <= now);
}

/** The write of an update that deletes a kept account. */
export function deletesPrevious({ clientId }: { readonly clientId: string }): string {
  return `delete service account ${clientId}`;
}

/** Whether a ModelServer has the status to which `running` leads. A server that failed does not run. */
export function isSettled(status: string | null, running: boolean): boolean {
  return running ? status === "running" : status === "stopped" || status === "errored";
}

/**
 * What an update of a ModelServer sends; nothing while the server starts or stops anyway. For a server without a
 * status, only the declaration counts.
 */
export function serverMove(
  olds: { readonly status: string | null; readonly running?: boolean | undefined },
  running: boolean | undefined,
): "start" | "stop" | undefined {
  const { status } = olds;
  if (running === undefined || isSettled(status, running)) return undefined;
  if (status === null && olds.running === running) return undefined;
  if (running) return status === "starting" ? undefined : "start";
  return status === "stopping" ? undefined : "stop";
}
