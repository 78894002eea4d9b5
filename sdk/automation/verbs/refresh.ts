/** Writes into the states what the service says. Sends no write to the service. */
import { dirname } from "node:path";
import { memberVariables } from "../service/service-members.ts";
import { runAll } from "../stacks/all-stacks.ts";
import type { Organization } from "../stacks/organization.ts";
import { withRunFolder } from "../stacks/run.ts";

/**
 * @param without the stacks to leave as they are
 * @returns whether the signal did not stop it
 * @throws Error that names the stacks whose state it cannot refresh
 */
export async function refreshStates(
  organization: Organization,
  without: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const left = new Set([...without, ...organization.newStacks]);
  const outcomes = await withRunFolder(dirname(organization.file), (folder) => {
    const environment = memberVariables(organization.members, folder);
    const each = (stack: string) => (left.has(stack) ? undefined : {});
    return runAll(organization, { operation: "refresh", environment, each, signal });
  });
  const failed = outcomes.flatMap(({ stack, failure }) =>
    failure === undefined ? [] : { stack, ...failure },
  );
  if (failed.some(({ code }) => code === "cancelled")) return false;
  if (failed.length === 0) return true;
  const reasons = failed.map(({ stack, text }) => `stack ${stack}: ${text.replace(/\.$/, "")}`).join("; ");
  throw new Error(`cannot refresh the states: ${reasons}. No changes were made in the service`);
}
