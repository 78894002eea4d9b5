/** Issues and renews the token of a UserToken, with next steps for failures. */

import { ApiError } from "../../api/calls/errors.ts";
import type { IssuedToken } from "../../api/schemas/schemas.ts";
import { type AdviceCode, isRefused, mayHaveSucceeded, userIsGone, withNextStep } from "../failures.ts";
import { revokesExisting } from "../planned-writes.ts";
import type { CallContext, OrganizationAccess } from "../resource.ts";

interface NewToken extends OrganizationAccess {
  readonly userId: string;
  readonly replaceExisting?: boolean | undefined;
}

/** Issues a token; where the user has one already and `replaceExisting` allows it, revokes that one first. */
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
    await context.checkRemovalLimit({ type: "UserToken", userId, organizationId, isReplaced: true });
    await api.revokeToken(news.userId, context.operation);
    revoked = "The previous token has been revoked.";
    return await api.issueToken(news.userId, wanted, context.operation);
  } catch (error) {
    throw explainIssue(error, context.people.nameOf(news.userId), revoked);
  }
}

export function explainIssue(error: unknown, who: string, revoked: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const [advice, step] = nextStepOfIssue(error, who) ?? [undefined, ""];
  return step === "" && revoked === "" ? error : withNextStep(error, step, advice, revoked);
}

function nextStepOfIssue(error: ApiError, who: string): [AdviceCode, string] | undefined {
  if (isRefused(error, 409)) {
    return [
      "token-exists",
      `${who} has a token already, and its value cannot be read. If this UserToken was renamed or moved in the program, use \`aliases\`. To revoke that token and issue a new one, set \`replaceExisting: true\`.`,
    ];
  }
  if (isRefused(error, 404)) return ["user-gone", userIsGone(who)];
  if (isRefused(error, 402)) {
    return [
      "subscription-ended",
      `No token was issued for ${who}. Renew the organization's subscription, then run \`pulumi up\` again.`,
    ];
  }
  if (!mayHaveSucceeded(error)) return undefined;
  return [
    "token-unknown",
    `A token of ${who} may have been issued, and its value is lost. Run \`pulumi up\` again: if the service returns 409, set \`replaceExisting: true\` on this UserToken to revoke that token and issue a new one.`,
  ];
}

/** Renews the token. @returns the expiry of the response, if it has one */
export async function renewAtService(
  userId: string,
  owner: OrganizationAccess,
  context: CallContext,
): Promise<string | null | undefined> {
  try {
    return (await context.api(owner).renewToken(userId, context.operation)).expires_at;
  } catch (error) {
    if (!isRefused(error, 404)) throw error;
    throw withNextStep(
      error,
      `The service no longer has a token of ${context.people.nameOf(userId)}. Change \`rotation\` on this UserToken to issue a new value.`,
      "token-gone",
    );
  }
}
