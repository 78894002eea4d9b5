/** Calls 7, 8 and 9 as a UserToken makes them, and what to do where one fails. */
import { ApiError } from "../api/errors.ts";
import type { IssuedToken } from "../api/schemas.ts";
import { revokesExisting } from "./effects.ts";
import { type AdviceCode, isRefused, mayHaveHappened, memberIsGone, withNextStep } from "./failures.ts";
import type { CallContext, Owner } from "./resource.ts";

interface NewToken extends Owner {
  readonly userId: string;
  readonly replaceExisting?: boolean | undefined;
}

/** Call 7; where the user has a token already and `replaceExisting` allows it, calls 9 and 7. */
export async function issue(news: NewToken, wanted: string, context: CallContext): Promise<IssuedToken> {
  const api = context.api(news);
  let revoked = "";
  try {
    try {
      return await api.issueToken(news.userId, wanted, context.operation);
    } catch (error) {
      if (!revokesExisting(news) || !isRefused(error, 409)) throw error;
    }
    const { userId, organizationId } = news;
    context.checkRemovalLimit({ type: "UserToken", userId, organizationId });
    await api.revokeToken(news.userId, context.operation);
    revoked = "The token of before has been revoked.";
    return await api.issueToken(news.userId, wanted, context.operation);
  } catch (error) {
    throw explainIssue(error, context.people.nameOf(news.userId), revoked);
  }
}

function explainIssue(error: unknown, who: string, revoked: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const [advice, step] = nextStepOfIssue(error, who) ?? [undefined, ""];
  return step === "" && revoked === "" ? error : withNextStep(error, step, advice, revoked);
}

function nextStepOfIssue(error: ApiError, who: string): [AdviceCode, string] | undefined {
  if (isRefused(error, 409)) {
    return [
      "token-exists",
      `${who} has a token already, whose value cannot be read. If this UserToken was renamed or moved in the program, \`aliases\` keep the old one. \`replaceExisting: true\` on it revokes that token and issues a new one.`,
    ];
  }
  if (isRefused(error, 404)) return ["user-gone", memberIsGone(who)];
  if (isRefused(error, 402)) {
    return [
      "subscription-ended",
      `No token was issued for ${who}. Renew the organization's subscription, then run \`pulumi up\` again.`,
    ];
  }
  if (!mayHaveHappened(error)) return undefined;
  return [
    "token-unknown",
    `A token of ${who} may have been issued whose value is lost. Run \`pulumi up\` again: if it answers 409, \`replaceExisting: true\` on this UserToken revokes that one and issues a new one.`,
  ];
}

/** Call 8. @returns the end that the service answers, if it answers one */
export async function renewAtService(
  userId: string,
  owner: Owner,
  context: CallContext,
): Promise<string | null | undefined> {
  try {
    return (await context.api(owner).renewToken(userId, context.operation)).expires_at;
  } catch (error) {
    if (!isRefused(error, 404)) throw error;
    throw withNextStep(
      error,
      `The service has no token of ${context.people.nameOf(userId)} any more. A changed \`rotation\` on this UserToken issues a new one, with a new value.`,
      "token-gone",
    );
  }
}
