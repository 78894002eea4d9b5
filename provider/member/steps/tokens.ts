/** What a held token needs: a renewal, a new value, the end of earlier ones. By the rules of UserToken. Pure. */
import { resolveOwn } from "../../resources/members/absence.ts";
import { causeOf, type ExistingToken, type Cause as TokenCause } from "../../resources/user-token/cause.ts";
import { expiringSoon, isDueByTime, isPast, wantedExpiry } from "../../resources/user-token/dates.ts";
import { instantMs, isLater } from "../../util/instants.ts";
import { asOwn, endOf, type HeldToken, type HeldUser, nameOfToken, REVOCATION } from "../held.ts";
import { asListed } from "../observe.ts";
import { type Cause, type Condition, joined, note, type Plan, revoke, send, unit } from "../step.ts";
import type { WantedToken } from "../wanted.ts";
import {
  dateSettings,
  datesOf,
  declared,
  firstToken,
  issueStep,
  liveIn,
  requestIn,
  type Situation,
} from "./issuing.ts";

/** The token that the member is to have. @param user who has it, or gets it */
export function tokenPlan(user: HeldUser, token: WantedToken, situation: Situation): Plan {
  const [current, ...earlier] = user.tokens;
  const { unmanaged } = user;
  if (current === undefined && unmanaged !== undefined)
    return besideUnmanaged(user, unmanaged, token, situation);
  if (current === undefined) return firstToken(user, token, situation);
  if (situation.wanted.isTokenUnknown) return joined();
  const stopped = unidentified(user, current, token, situation);
  if (stopped !== undefined) return stopped;
  const cause = causeFor(user, current, token, situation);
  const over = earlier.filter(({ endsAfter }) => isOver(endsAfter, situation.now));
  const issue = issueCause(cause);
  if (issue !== undefined) return reissue(user, [current, ...over], issue, token, situation);
  // Without a new value, an earlier token may be the only one that works.
  const isRefused = cause.kind === "refusedValue" || cause.kind === "refusedDate";
  if (isRefused && isEnded(current)) return renewal(user, current, cause, token, situation);
  const revoked = over.flatMap((one) => unit(revoke(user, one, "keptTimeOver")));
  return joined(
    renewal(user, current, cause, token, situation),
    { units: revoked },
    noted(user, current, token),
  );
}

function causeFor(user: HeldUser, current: HeldToken, token: WantedToken, situation: Situation): TokenCause {
  const { now, can, wanted } = situation;
  return causeOf(existing(user, current, situation), declared(user, token, situation), {
    now,
    canSetExpiry: can.canSetExpiry,
    mayRotate: wanted.rotates !== false,
  });
}

/** A new token can end one that the user issued, so it takes the same reason as a new value would. */
function besideUnmanaged(
  user: HeldUser,
  { live, instead }: NonNullable<HeldUser["unmanaged"]>,
  token: WantedToken,
  situation: Situation,
): Plan {
  const cause = causeFor(user, instead, token, situation);
  const isRefused = cause.kind === "refusedValue" || cause.kind === "refusedDate";
  const due = isRefused ? "mark" : issueCause(cause);
  if (due !== undefined) {
    const issue = issueStep(user, token, due, situation);
    return joined("code" in issue ? { refused: [issue] } : { units: unit(issue) });
  }
  const names = live.flatMap(({ id, end }) =>
    end !== undefined && isPast(end, situation.now) ? [] : `${id} (expires ${end ?? "at an unknown date"})`,
  );
  const isAdopting = token.adopt === true || typeof token.adopt === "string";
  if (isAdopting || names.length === 0) return firstToken(user, token, situation);
  return joined({ notes: [{ kind: "unmanaged", user: user.id, names }] });
}

function isOver(endsAfter: string | undefined, now: number): boolean {
  return endsAfter === undefined || instantMs(endsAfter) <= now;
}

/** No one has its value, or a revocation without an answer may have ended it. */
function isEnded({ value, asked }: HeldToken): boolean {
  return value === "lost" || asked?.what === REVOCATION;
}

/** A token as the rules of UserToken know it. What was declared for it last is its own date. */
function existing(user: HeldUser, token: HeldToken, { observed }: Situation): ExistingToken {
  const { agreed } = observed.held;
  const { asked, value, sealedFor } = token;
  return {
    ...datesOf(agreed),
    userId: user.id,
    rotation: token.mark,
    rotateEvery: agreed.rotateEvery,
    issuedAt: token.issuedAt,
    validUntil: endOf(token),
    tokenId: token.id,
    recipients: sealedFor,
    keepValue: value === "none" && !token.adopted ? false : undefined,
    isLost: isEnded(token),
    limit:
      asked === undefined || asked.what === REVOCATION ? undefined : { wanted: asked.what, since: asked.at },
  };
}

/** Why a new value is due; undefined if none is. */
function issueCause(cause: TokenCause): Cause | undefined {
  if (cause.kind === "lost" || cause.kind === "shortened") return cause.kind;
  if (cause.kind === "rule") return cause.isRoutine ? "schedule" : "newSchedule";
  if (cause.kind !== "replaced") return undefined;
  return cause.form ?? "mark";
}

/**
 * A new value. Where the user can have both and the old one is known, the new one comes first. No one has a lost value, and a
 * revocation without an answer may have ended a token: neither is kept.
 * @param replaced the current token, and earlier ones whose time is over
 */
function reissue(
  user: HeldUser,
  [current, ...over]: readonly HeldToken[],
  cause: Cause,
  token: WantedToken,
  situation: Situation,
): Plan {
  const { can } = situation;
  const issue = issueStep(user, token, cause, situation);
  if ("code" in issue) return joined({ refused: [issue] });
  if (current === undefined) return joined({ units: unit(issue) });
  const isNewFirst = can.revokesByTokenId && current.id !== undefined;
  const ends = over.map((one) => revoke(user, one, "keptTimeOver"));
  if (!isNewFirst) {
    const onlyIf: Condition[] = can.revokesByTokenId ? ["identified"] : [];
    const first = revoke(user, current, cause, onlyIf.length > 0 ? { onlyIf } : {});
    return joined({ units: unit(first, issue, ...ends) });
  }
  const isKept = token.keepPreviousFor !== undefined && !isEnded(current);
  const target = isKept ? { ...issue.target, keepPreviousFor: token.keepPreviousFor } : issue.target;
  const old = isKept ? [] : [revoke(user, current, cause)];
  return joined({ units: unit({ ...issue, ...(target && { target }) }, ...old, ...ends) });
}

/** A token without its id, where ids are needed: one that `adopt` names, or why nothing is sent. */
function unidentified(
  user: HeldUser,
  current: HeldToken,
  token: WantedToken,
  { observed, can }: Situation,
): Plan | undefined {
  const listed = observed.seen.users?.find(({ id }) => id === user.id)?.tokens;
  if (current.id !== undefined || !can.canListTokens || listed === undefined) return undefined;
  const live = liveIn(listed);
  const adopted = live.find(({ id }) => id === token.adopt);
  if (adopted !== undefined) {
    const value = current.value === "lost" ? "none" : current.value;
    const patch = { id: adopted.id, others: undefined, value, adopted: true };
    const change = { what: "token", from: undefined, to: adopted.id };
    const effect = { do: "token", user: user.id, token: nameOfToken(current), patch } as const;
    return joined({ units: unit(note("adopted", effect, [change])) });
  }
  const found = resolveOwn(listed.map(asListed), asOwn(current));
  if ("token" in found || "gone" in found) return undefined;
  const names = [user.id, ...live.map(({ id }) => id)];
  return joined({ refused: [{ code: "ambiguous", reason: "tokenAmbiguous", names }] });
}

function renewal(
  user: HeldUser,
  current: HeldToken,
  cause: TokenCause,
  token: WantedToken,
  situation: Situation,
): Plan {
  const { now, can, wanted } = situation;
  if (cause.kind === "refusedValue" || cause.kind === "refusedDate") {
    const [reason, date] =
      cause.kind === "refusedValue"
        ? (["valuePast", cause.wanted] as const)
        : (["datePast", cause.end] as const);
    return joined({ refused: [{ code: "token-date", reason, names: [user.id, date] }] });
  }
  if (cause.kind === "kept") {
    const soon = expiringSoon(endOf(current), now);
    return joined(
      soon === undefined ? {} : { notes: [{ kind: "expiresSoon", user: user.id, names: [soon] }] },
    );
  }
  if (cause.kind !== "renewal") return joined();
  const { until, expiresAt } = cause.due;
  const target = { expiresAt, until, ...requestIn(token, situation), agrees: dateSettings(token, wanted) };
  const isUnidentified = can.revokesByTokenId && current.id === undefined;
  const step = send("renew token", "renewal", {
    ...{ user: user.id, token: nameOfToken(current), target },
    ...(isUnidentified && { onlyIf: ["identified"] }),
    ...(isDueByTime(existing(user, current, situation), declared(user, token, situation)) && {
      isByTime: true,
    }),
  });
  const wantedEnd = wantedExpiry(declared(user, token, situation), now);
  const isLonger = token.expiresAt !== undefined && wantedEnd !== undefined && isLater(until, wantedEnd);
  const notes = isLonger ? [{ kind: "renewsLater" as const, user: user.id, names: [until, wantedEnd] }] : [];
  return joined({ units: unit(step), notes });
}

/** What the state alone follows: a value that is not kept any more, the recipients of an adopted token. */
function noted(
  user: HeldUser,
  current: HeldToken,
  { keepValue, recipients = [] }: WantedToken,
): Partial<Plan> {
  const patch = (change: Partial<HeldToken>, what: string, from: unknown, to: unknown) =>
    unit(
      note("settings", { do: "token", user: user.id, token: nameOfToken(current), patch: change }, [
        { what, from, to },
      ]),
    );
  if (current.value === "kept" && keepValue === false)
    return { units: patch({ value: "none", adopted: false }, "keepValue", true, false) };
  if (!current.adopted || current.value !== "none" || current.sealedFor !== undefined) return {};
  return recipients.length === 0
    ? {}
    : { units: patch({ sealedFor: recipients }, "recipients", [], recipients) };
}
