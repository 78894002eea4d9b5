/** Opens an organization for a verb, whose output then hides the secrets that the run reads. */
import { type Organization, type OrganizationOptions, openOrganization } from "../stacks/organization.ts";
import { secrets } from "./output.ts";

/** @throws RosterError with all issues of the roster */
export function openForOutput(options: OrganizationOptions): Promise<Organization> {
  return openOrganization(options, { secrets });
}
