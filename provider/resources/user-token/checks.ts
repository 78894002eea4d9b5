/** What check of a UserToken refuses: dates, and inputs that the dialect lacks. */
import { isLater } from "../../util/instants.ts";
import { inputIssue, unsupportedEmails, unsupportedInputs } from "../changes.ts";
import type { InputIssue, PlanContext } from "../resource.ts";
import { type Knowable, known } from "../unknown.ts";
import { noDate } from "./messages.ts";
import type { UserTokenInputs } from "./schema.ts";

export function checkCapabilities(news: Knowable<UserTokenInputs>, context: PlanContext): InputIssue[] {
  const { canListTokens, canSetExpiry } = context.can;
  return [
    ...(canListTokens ? [] : unsupportedInputs(news, ["adopt"], "this service does not list tokens")),
    ...(canSetExpiry
      ? []
      : unsupportedInputs(news, ["expirationToleranceMonths"], "tokens of this service have no tolerance")),
    ...unsupportedEmails(news, context),
  ];
}

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
  const subscription = known(end);
  if (explicit !== undefined && subscription !== undefined && isLater(explicit, subscription)) {
    failures.push(
      inputIssue(
        "expiresAt",
        `${explicit} is after the end of the subscription (subscriptionExpiresAt, ${subscription})`,
      ),
    );
  }
  return failures;
}
