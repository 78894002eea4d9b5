/** When access ends automatically (`accessUntil`, `access_until`): pure functions. */
import { DAY_MS, instantMs } from "../../util/instants.ts";

/** How many days before the end orgseat starts to warn. */
export const ACCESS_WARNING_DAYS = 14;

/** @param accessUntil a timestamp in the stored form; undefined: no end @param now milliseconds since 1970 */
export function accessAt(accessUntil: string | undefined, now: number): "open" | "endsSoon" | "ended" {
  if (accessUntil === undefined) return "open";
  const left = instantMs(accessUntil) - now;
  if (left <= 0) return "ended";
  return left <= ACCESS_WARNING_DAYS * DAY_MS ? "endsSoon" : "open";
}
