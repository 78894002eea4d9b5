/** What a plan says in numbers, and the same from the service's log. */

import type { Action } from "../../command/members/action-table.ts";
import { membershipReplacements } from "../../command/plan/actions.ts";
import type { Plan } from "../../command/plan/plan.ts";
import { type Counts, countsOf } from "../../command/plan/texts/counts.ts";
import type { MemberResult } from "../../command/run/member-results.ts";
import type { CompletedCall } from "./fixture.ts";

type ActionCounts = Pick<
  Counts,
  "joining" | "leaving" | "seatsAssigned" | "seatsReturned" | "tokensRenewed" | "retained"
> & {
  /** Calls 7 and 9; a token that is replaced is in both. */
  readonly issued: number;
  readonly revoked: number;
};

/** What a plan says, without what was to be taken away and, as its run then said, was not there. */
export function reportedCounts(
  plan: Plan,
  results: readonly Pick<MemberResult, "alreadyGone">[],
): ActionCounts {
  const { joining, leaving, seatsAssigned, seatsReturned, retained, ...tokens } = countsOf(plan);
  const all = results.flatMap(({ alreadyGone }) => alreadyGone);
  const gone = (...wanted: readonly Action[]): number =>
    all.filter((action) => wanted.includes(action)).length;
  return {
    ...{ joining, seatsAssigned, retained },
    leaving: leaving - gone("leave", "removePrevious", ...membershipReplacements),
    seatsReturned: seatsReturned - gone("returnSeat"),
    tokensRenewed: tokens.tokensRenewed + tokens.tokensShortened,
    issued: tokens.tokensIssued + tokens.tokensReplaced,
    revoked:
      tokens.tokensRevoked +
      tokens.tokensReplaced -
      gone("revokeToken", "reissueToken", "exchangeToken", "replaceToken"),
  };
}

/** @param retained who is managed no more and still a member, which no call tells */
export function completedCounts(done: readonly CompletedCall[], retained: number): ActionCounts {
  const count = (wanted: number): number => done.filter(({ call }) => call === wanted).length;
  return {
    joining: count(5),
    leaving: count(11),
    seatsAssigned: count(6),
    seatsReturned: count(10),
    tokensRenewed: count(8),
    issued: count(7),
    revoked: count(9),
    retained,
  };
}
