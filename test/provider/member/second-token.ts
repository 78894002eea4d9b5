/** The tokens of the second model: when a value or an end is due, and by which calls. */
import type { Held, HeldToken, HeldUser } from "../../../provider/member/held.ts";
import type { WantedToken } from "../../../provider/member/wanted.ts";
import {
  type Answer,
  endOf,
  iso,
  ms,
  type Person,
  periodOf,
  type Question,
  revoke,
  say,
  step,
  strangers,
  unit,
} from "./second-view.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** The end to request now, and the end to expect of it: later by the tolerance. */
function wantedEnd(token: WantedToken, last: string | undefined, now: number) {
  const { expiresAt = last, tolerance = 0 } = token;
  const period = periodOf(expiresAt);
  const limit = last === undefined ? Number.POSITIVE_INFINITY : ms(last);
  const request = period ? Math.min(now + period, limit) : ms(expiresAt ?? "");
  const until = new Date(request);
  until.setUTCMonth(until.getUTCMonth() + tolerance);
  return { request, until: until.getTime(), period };
}

/** The token of the wanted member: a first one, revocations, a new value, or another end. */
export function tokenSteps(
  { can, now, seen }: Question,
  held: Held,
  person: Person,
  user?: HeldUser,
): Answer {
  const { token: want, subscriptionExpiresAt: last = "" } = person;
  const [current, ...earlier] = user?.tokens ?? [];
  if (user && !want) return say(user.tokens.map((token) => revoke(user, token)));
  if (!want) return say([]);
  const { request, until, period } = wantedEnd(want, person.subscriptionExpiresAt, now);
  const wrong = Number.isNaN(request) ? ["noDate"] : request <= now ? ["valuePast"] : [];
  const issue = wrong.length > 0 ? "" : step(7, user?.id ?? "new", iso(request), want.mark);
  const listed = strangers(user, seen);
  const { instead, live = [] } = user?.unmanaged ?? {};
  if (instead && !current) {
    const isLost = instead.value === "lost" || instead.asked?.what === "revoke token";
    const isPast = want.expiresAt !== undefined && until < endOf(instead) - MINUTE && until <= now;
    if (isLost || isPast || isDue(instead, want, now))
      return wrong.length > 0 ? say([], ...wrong) : say([issue]);
    const isThere = live.some(({ end }) => end === undefined || ms(end) > now);
    if (isThere && !want.adopt) return say([]);
  }
  if (!user || !current) return firstToken(can.canListTokens, want, issue, wrong, user, listed);
  const over = earlier.filter(({ endsAfter }) => !endsAfter || ms(endsAfter) <= now);
  const ends = over.map((token) => revoke(user, token));
  const end = endOf(current);
  const isGone = current.value === "lost" || current.asked?.what === "revoke token";
  const isSooner = want.expiresAt !== undefined && until < end - MINUTE;
  if (isSooner && until <= now) return say(isGone ? [] : ends, "datePast", "valuePast");
  const isUnknown = can.canListTokens && current.id === undefined;
  const guard = isUnknown && "identified";
  const isNew = isGone || isDue(current, want, now);
  if (isUnknown && listed && (isNew || until > end + MINUTE || isSooner)) return say([], "tokenAmbiguous");
  const again = [step(revoke(user, current), guard), issue];
  if (isNew && wrong.length > 0) return say(isGone ? [] : ends, ...wrong);
  if (isNew && (isUnknown || !can.revokesByTokenId)) return say(unit(...again, ...ends));
  if (isNew) return say(unit(issue, ...(want.keepPreviousFor && !isGone ? [] : again.slice(0, 1)), ...ends));
  const { agreed } = held;
  const text = period
    ? `${want.expiresAt}${want.tolerance ? ` + ${want.tolerance} months` : ""}`
    : iso(until);
  const asked = current.asked?.what === text ? ms(current.asked.at) : Number.NaN;
  const isAnswered = now < asked + Math.min(end - asked, period || Number.POSITIVE_INFINITY) / 2;
  const isWindow = periodOf(want.renewBefore) > end - now && ms(last) > end + MINUTE;
  const isLater = (until > end + MINUTE && !isAnswered) || isWindow;
  const before = periodOf(agreed.expiresAt)
    ? end
    : wantedEnd(agreed, agreed.subscriptionExpiresAt, now).until;
  const isSamePeriod = period > 0 && agreed.expiresAt === want.expiresAt;
  const isShortened = isSooner && until < before - MINUTE && !isSamePeriod;
  // Without a renewal to any date, one goes to the end of the subscription: a later end proves nothing.
  const isMoved =
    isShortened ||
    (can.canSetExpiry && isSooner && !want.renewBefore && !(isSamePeriod && until > end - 3 * DAY));
  if (!isLater && !isMoved) return say(ends);
  if (isMoved && !can.canSetExpiry) return say(unit(...again, ...ends));
  const to = isWindow && !isMoved && until <= end + MINUTE ? last : iso(request);
  return say([step(8, user.id, can.canSetExpiry ? to : last, guard), ...ends]);
}

function isDue(token: HeldToken, want: WantedToken, now: number): boolean {
  const keys = (all: readonly string[] = []) => [...all].sort().join();
  const isUnagreed = token.adopted && token.sealedFor === undefined;
  const isUnkept = token.value === "none" && !token.adopted && want.keepValue !== false && !want.recipients;
  const isOld = periodOf(want.rotateEvery) <= now - ms(token.issuedAt);
  const isSealed = !isUnagreed && keys(token.sealedFor) !== keys(want.recipients);
  return token.mark !== want.mark || isSealed || isUnkept || isOld;
}

function firstToken(
  canList: boolean,
  want: WantedToken,
  issue: string,
  wrong: string[],
  user?: HeldUser,
  listed?: readonly { id: string }[],
): Answer {
  if (want.adopt && listed?.length) {
    const found = listed.filter(({ id }) => want.adopt === true || want.adopt === id);
    if (found.length === 1) return say([step("~token", user?.id)]);
    return say([], found.length > 1 ? "tokenAmbiguous" : "tokenMissing");
  }
  if (user?.adopted && listed?.length && wrong.length === 0) return say([], "tokenUnknown");
  if (wrong.length > 0) return say([], ...wrong);
  if (user?.adopted && canList) return say([listed ? issue : `${issue} noOtherToken`]);
  if (canList || !want.replaceExisting || !user) return say([issue]);
  return say(unit(issue, `9 ${user.id} conflict`, `${issue} conflict`));
}
