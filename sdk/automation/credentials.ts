/** Looks before a plan is confirmed whether its calls could be made, so that nobody confirms it in vain. */
import { tryCredentials } from "../../provider/try-credentials.ts";
import type { Organization } from "./organization.ts";
import { actions } from "./plan/actions.ts";
import type { Plan } from "./plan/plan.ts";

/**
 * Asks for one access token, where the plan needs calls. A program of one's own may have other credentials than the
 * configured ones, so nothing is tried for it.
 * @throws Error that names the address
 */
export async function requireCredentials(
  { program, configuration, environment, roster }: Organization,
  { members }: Plan,
): Promise<void> {
  const needsCalls = members.some((member) => member.actions.some((deed) => actions[deed].calls.length > 0));
  if (program !== undefined || !needsCalls) return;
  try {
    // The roster names the organization.
    const known = new Map([["orgseat:organizationId", roster.organizationId], ...configuration.config]);
    await tryCredentials({ config: (key) => known.get(key), environment });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `cannot make the calls of this plan: ${reason.replace(/[.\s]*$/, "")}. No changes were made`,
    );
  }
}
