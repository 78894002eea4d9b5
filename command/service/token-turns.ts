/** Whose tokens a refresh reads, if the service lists them with one request per user. Pure. */
import { createHash } from "node:crypto";
import { DAY_MS } from "../../provider/util/instants.ts";

/** The number of tokens to read, besides those of the people whom the run can change. */
export type RefreshTokens = number | "all";

/** With the lists of users, a refresh that finds no change then makes less than 100 requests. */
export const REFRESH_TOKENS = 90;

/**
 * The users whose tokens are read on a day. Runs on each day read each user once in a cycle of `users / most` days. The
 * order changes with each cycle, so that runs on some days alone, such as Mondays, reach everyone too.
 * @param now milliseconds since 1970
 */
export function usersOfDay(users: readonly string[], most: number, now: number): string[] {
  const days = Math.ceil(users.length / most);
  if (days < 2) return [...users];
  const day = Math.floor(now / DAY_MS);
  const size = Math.ceil(users.length / days);
  const start = (day % days) * size;
  const cycle = Math.floor(day / days);
  return users
    .map((userId) => ({ userId, rank: rankOf(userId, cycle) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(start, start + size)
    .map(({ userId }) => userId);
}

function rankOf(userId: string, cycle: number): string {
  return createHash("sha256").update(`${cycle} ${userId}`).digest("hex");
}
