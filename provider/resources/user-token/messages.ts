/**
 * What a UserToken refuses in check, what diff reports (why a token is renewed, rotated, or expires), and the next steps of a
 * token that was not issued.
 */
import { ApiError } from "../../api/calls/errors.ts";
import { isLater } from "../../util/instants.ts";
import { inputIssue, unsupportedEmails, unsupportedInputs } from "../changes.ts";
import {
  type AdviceCode,
  IF_FORCED,
  isAbsent,
  isRefused,
  mayHaveSucceeded,
  RENEW_SUBSCRIPTION,
  userIsGone,
  withNextStep,
} from "../failures.ts";
import type { InputIssue, PlanContext, PreviousToken } from "../resource.ts";
import { describeRule } from "../rotation-schedule.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import { type Cause, type Keeping, keptToken, knownWanted } from "./cause.ts";
import { type DeclaredDates, expiringSoon, isPast, periodOf } from "./dates.ts";
import { adoptsToken } from "./operations.ts";
import type { UserTokenInputs, UserTokenOutputs } from "./schema.ts";
import { lacksSeal, MISSING_RECIPIENT } from "./sealing.ts";

export const EXPIRES_KEY = "expiresAt (in a roster, `expires`)";
export const SUBSCRIPTION_KEY = "orgseat:subscriptionExpiresAt (in a roster, `subscription`)";
export const noDate = `no expiry date is known. Set ${EXPIRES_KEY} or ${SUBSCRIPTION_KEY}`;

export const noReplacement =
  "replaceExisting has no effect here: tokens have ids, and orgseat revokes only those that it issued or adopted.";

const moreRenewals = "renew token of more people: not listed here, counted as updates";
const moreRotations = "rotate token of more people: not listed here, counted as replacements";
/** What a rotation does. */
function newValue(olds: UserTokenOutputs, news: Knowable<UserTokenInputs>): string {
  return keptToken(olds, news) === undefined
    ? "orgseat revokes the token and issues a new value."
    : `orgseat issues a new value; the previous one stays valid for ${known(news.keepPreviousFor)}, and a later run revokes it.`;
}

/** Reports the kept tokens whose time has come. */
export function explainPrevious(due: readonly PreviousToken[], userId: string, context: PlanContext): void {
  if (due.length === 0) return;
  const which = due
    .map(({ tokenId, removeAfter }) => `token ${tokenId} (kept until ${removeAfter})`)
    .join(", ");
  context.infoLimited(
    `revoke the previous token of ${context.people.nameOf(userId)}: ${which}`,
    morePrevious,
  );
}

const morePrevious = "revoke the previous token of more people: not listed here, counted as updates";

/** The configuration or input that says when the token expires. */
export function dateKey({ expiresAt }: Pick<Knowable<DeclaredDates>, "expiresAt">): string {
  const isDate = expiresAt === unknown || (expiresAt !== undefined && periodOf({ expiresAt }) === undefined);
  return isDate ? EXPIRES_KEY : SUBSCRIPTION_KEY;
}

export function nameIn({ userId }: Knowable<UserTokenInputs>, { people }: PlanContext): string {
  const id = known(userId);
  return id === undefined ? "a new user" : people.nameOf(id);
}

export function checkKeeping(
  news: Knowable<Keeping & Pick<UserTokenInputs, "adopt" | "rotation">>,
  context: PlanContext,
): InputIssue[] {
  const adopts = adoptsToken({ adopt: known(news.adopt), rotation: known(news.rotation) });
  if (!adopts && lacksSeal(news, context)) return [inputIssue("recipients", MISSING_RECIPIENT)];
  const isBoth = news.recipients !== undefined && news.keepValue === false;
  return isBoth ? [inputIssue("keepValue", notBoth)] : [];
}

const notBoth =
  "has no effect together with recipients: the state keeps only the sealed value. Omit one of them";

/** Why no token can be issued: it would be expired. */
export function expiredIssue(news: Knowable<DeclaredDates>, { now }: PlanContext): string | undefined {
  const wanted = knownWanted(news, now);
  return wanted !== undefined && isPast(wanted, now) ? expired(wanted, news) : undefined;
}

function expired(wanted: string, news: Knowable<DeclaredDates>): string {
  return `the token would already be expired (${wanted}). Set a later date for ${dateKey(news)}`;
}

/** Why the update fails; undefined if it does not. */
export function refusalIn(cause: Cause, who: string, news: Knowable<DeclaredDates>): string | undefined {
  if (cause.kind === "refusedValue")
    return `cannot rotate the token of ${who}: ${expired(cause.wanted, news)}. Nothing was revoked`;
  if (cause.kind !== "refusedDate") return undefined;
  return `cannot move the expiry of the token of ${who} back to ${cause.end}: this date is in the past. To end the token, remove it; to keep it, set a later date for ${EXPIRES_KEY}`;
}

/** Reports why diff finds a change, or an expiry that no one declared. */
export function explain(
  cause: Cause,
  olds: UserTokenOutputs,
  news: Knowable<UserTokenInputs>,
  context: PlanContext,
): void {
  const who = context.people.nameOf(olds.userId);
  const rotate = `rotate token of ${who}:`;
  const refusal = refusalIn(cause, who, news);
  if (refusal !== undefined) context.warn(refusal);
  if (cause.kind === "replaced" && cause.form !== undefined) {
    const reason = `${cause.form} changed, and only a new value can be stored in the new form.`;
    context.infoLimited(`${rotate} ${reason} ${newValue(olds, news)}`, moreRotations);
  }
  if (cause.kind === "rule")
    context.infoLimited(`${rotate} ${describeRule(cause.rule)}. ${newValue(olds, news)}`, moreRotations);
  if (cause.kind === "shortened") {
    const reason = `the expiry moves back from ${cause.from} to ${cause.to}, but a renewal can only extend a token.`;
    context.info(`${rotate} ${reason} ${newValue(olds, news)}`);
  }
  if (cause.kind === "renewal") {
    const declared = olds.expirySource === "declared" ? " (declared)" : "";
    const until = `${cause.due.until}${periodOf(olds) === undefined ? "" : ` (${olds.expiresAt})`}`;
    const change = `expires ${olds.validUntil}${declared} -> ${until}, value unchanged`;
    context.infoLimited(`renew token of ${who}: ${change}`, moreRenewals);
  }
  if (cause.kind === "kept") warnAboutExpiry(who, olds, news, context);
}

function warnAboutExpiry(
  who: string,
  { validUntil, expirySource }: UserTokenOutputs,
  news: Knowable<UserTokenInputs>,
  context: PlanContext,
): void {
  const end = expiringSoon(validUntil, context.now);
  if (end === undefined) return;
  const source = expirySource === "service" ? "confirmed by the service" : "declared, not confirmed";
  context.warn(
    `token of ${who} ${end} (${source}), and no declared date renews it. If the subscription was renewed, raise ${dateKey(news)}.`,
  );
}

/** What a failed renewal did to the value. */
export function valueAfter(before: UserTokenOutputs, after: UserTokenOutputs): string {
  return before === after ? " The value is unchanged." : "";
}

export function nothingToAdopt(who: string): string {
  return `cannot adopt the token of ${who}: this user has no token, and the plan does not contain "issue token". Run the preview again with --refresh: its plan issues one`;
}

export function cannotAdopt(who: string, { can }: PlanContext): string {
  if (can.canListTokens)
    return `cannot issue a token for ${who}: this run only adopts existing resources and writes nothing (ORGSEAT_ADOPT_ONLY), and no token was adopted. Set \`adopt: true\` if the person has one token; otherwise declare the person without a token first, and a later run issues one.`;
  return `cannot issue a token for ${who}: this run only adopts existing resources and writes nothing (ORGSEAT_ADOPT_ONLY), and the value of an existing token cannot be read. Declare the person without a token first; a later run issues one (\`replaceExisting: true\` if the person has one).`;
}

export function checkCapabilities(news: Knowable<UserTokenInputs>, context: PlanContext): InputIssue[] {
  const { canListTokens, canSetExpiry, revokesByTokenId } = context.can;
  return [
    ...(revokesByTokenId ? [] : unsupportedInputs(news, ["keepPreviousFor"], oneToken)),
    ...(canListTokens ? [] : unsupportedInputs(news, ["adopt"], "this service does not list tokens")),
    ...(canSetExpiry
      ? []
      : unsupportedInputs(
          news,
          ["expirationToleranceMonths"],
          "this service does not support an expiration tolerance",
        )),
    ...unsupportedEmails(news, context),
  ];
}

const oneToken =
  "a user of this service has one token, so a rotation ends the old one before it issues the new one";

export function checkDates(news: Knowable<UserTokenInputs>): InputIssue[] {
  const { expiresAt, subscriptionExpiresAt: end, renewBefore } = news;
  if (expiresAt === undefined && end === undefined) return [inputIssue("expiresAt", noDate)];
  const failures: InputIssue[] = [];
  if (renewBefore !== undefined && end === undefined) {
    failures.push(
      inputIssue(
        "renewBefore",
        "a renewal extends to the end of the subscription. Set orgseat:subscriptionExpiresAt too",
      ),
    );
  }
  const explicit = known(expiresAt);
  const isPeriod = periodOf({ expiresAt: explicit }) !== undefined;
  if (isPeriod && renewBefore !== undefined) failures.push(inputIssue("renewBefore", noWindow));
  const subscription = known(end);
  if (explicit !== undefined && !isPeriod && subscription !== undefined && isLater(explicit, subscription)) {
    failures.push(
      inputIssue(
        "expiresAt",
        `${explicit} is after the end of the subscription (subscriptionExpiresAt, ${subscription})`,
      ),
    );
  }
  return failures;
}

const noWindow =
  "has no effect together with a period in expiresAt, which is renewed when half of it has passed. Omit one of them";

export function explainIssue(error: unknown, who: string, revoked: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const [advice, step] = nextStepOfIssue(error, who) ?? [undefined, ""];
  return step === "" && revoked === "" ? error : withNextStep(error, step, advice, revoked);
}

function nextStepOfIssue(error: ApiError, who: string): [AdviceCode, string] | undefined {
  if (isRefused(error, 409)) {
    return [
      "token-exists",
      `${who} already has a token, and its value cannot be read. If this UserToken was renamed or moved in the program, use \`aliases\`. ${IF_FORCED} To revoke that token and issue a new one, set \`replaceExisting: true\`.`,
    ];
  }
  if (isAbsent(error)) return ["user-gone", userIsGone(who)];
  if (isRefused(error, 402)) {
    return ["subscription-ended", `No token was issued for ${who}. ${RENEW_SUBSCRIPTION}`];
  }
  if (!mayHaveSucceeded(error)) return undefined;
  return [
    "token-unknown",
    `A token of ${who} may have been issued, and its value is lost. Run \`pulumi up\` again: if the service returns 409, set \`replaceExisting: true\` on this UserToken to revoke that token and issue a new one.`,
  ];
}
