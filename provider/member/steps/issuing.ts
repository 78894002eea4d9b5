/** A new token: what is requested, and the first one of a user. Pure. */
import type { DeclaredToken } from "../../resources/user-token/cause.ts";
import {
  declaredDate,
  isPast,
  mayBeIssuedEarlier,
  periodOf,
  requestOf,
  wantedExpiry,
} from "../../resources/user-token/dates.ts";
import { formatInstant } from "../../util/instants.ts";
import type { Agreed, HeldToken, HeldUser } from "../held.ts";
import type { Observed } from "../observe.ts";
import {
  type Cause,
  type Condition,
  joined,
  NEW_USER,
  note,
  type Obstacle,
  type Plan,
  type Step,
  send,
  type Target,
  unit,
} from "../step.ts";
import type { Can, SeenToken, WantedToken } from "../wanted.ts";
import type { SettledMember } from "./settings.ts";

/** What decides about one member. */
export interface Situation {
  readonly observed: Observed;
  readonly wanted: SettledMember;
  readonly now: number;
  readonly can: Can;
}

export function datesOf({ expiresAt, subscriptionExpiresAt, renewBefore, tolerance }: Agreed) {
  return { expiresAt, subscriptionExpiresAt, renewBefore, expirationToleranceMonths: tolerance };
}

/** Unknown recipients of an adopted token are agreed by a change of the state alone. */
export function declared(user: HeldUser, token: WantedToken, { wanted }: Situation): DeclaredToken {
  const current = user.tokens[0] ?? user.unmanaged?.instead;
  const isUnagreed = current?.adopted === true && current.sealedFor === undefined && current.value === "none";
  return {
    ...datesOf({ ...token, subscriptionExpiresAt: wanted.subscriptionExpiresAt }),
    userId: user.id,
    rotation: token.mark,
    rotateEvery: token.rotateEvery,
    recipients: isUnagreed ? undefined : token.recipients,
    keepValue: token.keepValue,
  };
}

/** The step that issues a token; why there is none. */
export function issueStep(
  user: HeldUser,
  token: WantedToken,
  cause: Cause,
  situation: Situation,
): Step | Obstacle {
  const { wanted, now, observed } = situation;
  const dates = declared(user, token, situation);
  const expiresAt = declaredDate(dates, now);
  if (!wanted.areDatesUnknown) {
    if (expiresAt === undefined) return { code: "token-date", reason: "noDate", names: [user.id] };
    if (isPast(expiresAt, now))
      return { code: "token-date", reason: "valuePast", names: [user.id, expiresAt] };
  }
  const isCurrent = observed.held.users[0]?.id === user.id || observed.held.users.length === 0;
  const target: Target = {
    expiresAt,
    until: wantedExpiry(dates, now),
    ...requestIn(token, situation),
    mark: token.mark,
    recipients: token.recipients,
    keepValue: token.keepValue,
    agrees: dateSettings(token, wanted),
    promotes: isCurrent ? undefined : true,
  };
  const emails = token.sendEmail === true ? 1 : 0;
  return send("issue token", cause, { user: user.id, emails, target });
}

export function requestIn(
  token: WantedToken,
  { wanted, now }: Situation,
): Pick<Target, "request" | "isPeriod"> {
  const dates = datesOf({ ...token, subscriptionExpiresAt: wanted.subscriptionExpiresAt });
  const until = wantedExpiry(dates, now);
  return {
    request: until === undefined ? undefined : requestOf(dates, until),
    isPeriod: periodOf(dates) !== undefined,
  };
}

/** The settings that a token follows: they change with it, so that a plan without the token's step finds it again. */
export function dateSettings(token: WantedToken, wanted: SettledMember): Agreed {
  const { expiresAt, renewBefore, tolerance } = token;
  const { subscriptionExpiresAt } = wanted;
  return { expiresAt, renewBefore, tolerance: tolerance || undefined, subscriptionExpiresAt };
}

/** Without a list of tokens, a 409 alone shows that a user from before has one, adopted or not. */
export function firstToken(user: HeldUser, token: WantedToken, situation: Situation): Plan {
  const { can, observed } = situation;
  const cause: Cause = observed.stored.users.some(({ id }) => id === user.id) ? "missing" : "new";
  const issue = issueStep(user, token, cause, situation);
  if ("code" in issue) return joined({ refused: [issue] });
  if (can.canListTokens) return tokenBeside(user, issue, token, situation);
  const isReplacing = token.replaceExisting === true && user.id !== NEW_USER;
  if (!isReplacing) return joined({ units: unit(issue) });
  const onlyIf: Condition[] = ["conflict"];
  const old = send("revoke token", cause, { user: user.id, onlyIf });
  return joined({ units: unit(issue, old, { ...issue, onlyIf }) });
}

/** A live token that no state holds can be from a creation without an answer. The program can adopt it. */
function tokenBeside(user: HeldUser, issue: Step, token: WantedToken, situation: Situation): Plan {
  const { observed, now } = situation;
  const { adopt = false } = token;
  if (user.id === NEW_USER || (!user.adopted && adopt === false)) return joined({ units: unit(issue) });
  const listed = observed.seen.users?.find(({ id }) => id === user.id)?.tokens;
  if (listed === undefined) return joined({ units: unit({ ...issue, onlyIf: ["noOtherToken"] }) });
  const [adoptable, ...more] = adopt === false ? [] : fittingIn(listed, adopt);
  const names = [user.id, ...liveIn(listed).map(({ id }) => id)];
  if (more.length > 0) return joined({ refused: [{ code: "ambiguous", reason: "tokenAmbiguous", names }] });
  if (adoptable !== undefined) return adoption(user, adoptedToken(adoptable, token, now));
  const isFitting = mayBeIssuedEarlier(declared(user, token, situation), now);
  const found = liveIn(listed).filter((one) => token.replaceExisting !== true || isFitting(one));
  if (found.length === 0) return joined({ units: unit(issue) });
  const unknown = [user.id, ...found.map(({ id }) => id)];
  return joined({ refused: [{ code: "token-undecided", reason: "tokenUnknown", names: unknown }] });
}

function adoption(user: HeldUser, token: HeldToken): Plan {
  const change = { what: "token", from: undefined, to: token.id };
  const effect = { do: "user", user: user.id, patch: { tokens: [token], unmanaged: undefined } } as const;
  return joined({ units: unit(note("adopted", effect, [change])) });
}

/** The live tokens that `adopt` means. */
export function fittingIn(tokens: readonly SeenToken[], adopt: boolean | string) {
  const live = liveIn(tokens);
  return adopt === true ? live : live.filter(({ id }) => id === adopt);
}

export function adoptedToken(
  { id, expires_at: end }: ReturnType<typeof liveIn>[number],
  { recipients = [], mark }: WantedToken,
  now: number,
): HeldToken {
  const at = formatInstant(now);
  return {
    id,
    adopted: true,
    issuedAt: at,
    declaredEnd: end ?? at,
    ...(end !== undefined && { reportedEnd: end }),
    ...(mark !== undefined && { mark }),
    value: "none",
    sealedFor: [...recipients],
  };
}

export function liveIn(tokens: readonly SeenToken[]) {
  return tokens.filter(({ isRevoked }) => isRevoked !== true).map(({ id, end }) => ({ id, expires_at: end }));
}
