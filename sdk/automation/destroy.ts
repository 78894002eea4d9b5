/** `orgseat destroy`: takes out everybody whom the stacks manage, after the guards have seen the exact list. */
import { type Organization, withNobody } from "./organization.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

/** More than a few people need the override of the exact list. */
export function destroyAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  return upTo({ ...withNobody(organization), listed: organization.roster.people }, options, {
    roster: false,
  });
}
