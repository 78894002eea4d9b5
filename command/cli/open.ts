/** Opens the organization that the flags of a verb name. Its output then hides the secrets that the run reads. */
import { type Organization, type OrganizationOptions, openOrganization } from "../stacks/organization.ts";
import { type CommonOptions, organizationOptions } from "./line/options.ts";
import { secrets } from "./output.ts";

/** What no flag says. */
export type Opening = Pick<
  OrganizationOptions,
  "acceptEndedSubscription" | "acceptUnreadableState" | "planTime"
>;

/** @throws RosterError with all issues of the roster */
export function openForOutput(flags: CommonOptions, more: Opening = {}): Promise<Organization> {
  return openOrganization({ ...organizationOptions(flags), ...more }, { secrets });
}
