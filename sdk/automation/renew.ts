/** `orgseat renew`: only the renewals that are due (call 8, same values); whatever else waits is left for `up`. */
import type { Organization } from "./organization.ts";
import { actionsOf } from "./plan/actions-of-step.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

export function renewTokens(organization: Organization, options: UpOptions): Promise<UpResult> {
  return upTo(organization, options, {
    roster: false,
    part: (step, now) => actionsOf(step, now).includes("renewToken"),
  });
}
