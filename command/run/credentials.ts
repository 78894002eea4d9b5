import { tryCredentials } from "../../provider/direct/try-credentials.ts";
import { messageOf, withoutStop } from "../../provider/util/text.ts";
import type { Plan } from "../plan/plan.ts";
import type { Connection, Declaration } from "../stacks/organization.ts";

/** Requests one access token if the plan needs calls. @throws Error that names the address */
export async function requireCredentials(
  { config: values, environment, roster }: Declaration & Connection,
  { members }: Plan,
): Promise<void> {
  const needsCalls = members.some(({ steps }) =>
    steps.plan.units.some((unit) => unit.steps.some(({ call }) => call !== undefined)),
  );
  if (!needsCalls) return;
  try {
    const known = new Map([["orgseat:organizationId", roster.organizationId], ...values]);
    await tryCredentials({ config: (key) => known.get(key), environment });
  } catch (error) {
    const reason = messageOf(error);
    const text = `cannot apply this plan: ${withoutStop(reason)}. No changes were made`;
    throw new Error(text, { cause: error });
  }
}
