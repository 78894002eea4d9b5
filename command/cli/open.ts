/** Opens the organization that the flags of a verb name. Its output then hides the secrets that the run reads. */
import type { PreviewOptions } from "../preview/options.ts";
import { type Organization, type OrganizationOptions, openOrganization } from "../stacks/organization.ts";
import type { PlanFlags } from "./line/flags.ts";
import { type CommonOptions, organizationOptions } from "./line/options.ts";
import { secrets } from "./output.ts";

/** What no flag says. */
export interface Opening
  extends Pick<OrganizationOptions, "acceptEndedSubscription" | "acceptUnreadableState" | "planTime"> {
  /** Whether to begin at once with the secrets of the state, which previews check. Default: no. */
  readonly readsSecrets?: boolean;
}

/** What the flags of a verb say about its plan. */
export function planOptions({
  removals,
  approve,
  newStack,
  refresh,
  refreshTokens,
}: PlanFlags): PreviewOptions {
  return { noRemovals: removals === false, approve, newStack, refresh, refreshTokens };
}

/** @throws RosterError with all issues of the roster */
export function openForOutput(
  flags: CommonOptions,
  { readsSecrets, ...more }: Opening = {},
): Promise<Organization> {
  return openOrganization({ ...organizationOptions(flags), ...more }, { secrets, readsSecrets });
}
