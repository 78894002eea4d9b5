/** What a UserToken does in another way where the service lists tokens: chosen once, by what the dialect makes possible. */
import type { Deleted } from "../../api/calls/organization.ts";
import type { CallContext, PlanContext } from "../resource.ts";
import type { DueRenewal } from "./dates.ts";
import { issueUnlisted, renewUnlisted, revokeUnlisted, unchanged } from "./documented.ts";
import { lacksId, readListed, renewListed, resolveListed, revokeListed } from "./listed.ts";
import { issueListed } from "./listed-issue.ts";
import type { Expiry, NewValue, UserTokenInputs, UserTokenOutputs } from "./schema.ts";

interface Strategy {
  /** @param expiresAt the date to request, without the tolerance */
  issue(news: UserTokenInputs, expiresAt: string, context: CallContext): Promise<NewValue>;
  /** Whether the state lacks what the service tells about the token. */
  isUnresolved(olds: UserTokenOutputs): boolean;
  /** The outputs with what the service tells. @throws Error where it does not tell which token it is */
  resolve(olds: UserTokenOutputs, news: UserTokenInputs, context: CallContext): Promise<UserTokenOutputs>;
  /** @param olds resolved @throws PartiallyCreated where the token does not expire as requested */
  renew(
    olds: UserTokenOutputs,
    news: UserTokenInputs,
    due: DueRenewal,
    context: CallContext,
  ): Promise<Expiry>;
  /** The current outputs; undefined where the service confirms that the token is gone. */
  read(outs: UserTokenOutputs, context: CallContext): Promise<UserTokenOutputs | undefined>;
  revoke(outs: UserTokenOutputs, context: CallContext): Promise<Deleted>;
}

const listed: Strategy = {
  issue: issueListed,
  isUnresolved: lacksId,
  resolve: resolveListed,
  renew: renewListed,
  read: readListed,
  revoke: revokeListed,
};

const documented: Strategy = {
  issue: issueUnlisted,
  isUnresolved: () => false,
  resolve: unchanged,
  renew: renewUnlisted,
  read: unchanged,
  revoke: revokeUnlisted,
};

export function strategyOf({ can }: Pick<PlanContext, "can">): Strategy {
  return can.canListTokens ? listed : documented;
}
