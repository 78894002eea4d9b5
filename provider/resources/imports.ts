/** What the imports of resources share: the organization, and the errors where the service does not tell enough. */
import type { PlanContext } from "./resource.ts";

/** @param what for the error, for example `user 7a1f…` @throws Error where neither the program nor the configuration has it */
export function organizationOf(
  { organizationId }: { readonly organizationId?: string | undefined },
  { defaults }: PlanContext,
  what: string,
): string {
  const known = organizationId ?? defaults.organizationId;
  if (known !== undefined) return known;
  throw new Error(`cannot import ${what}: no organizationId is known. Set orgseat:organizationId`);
}

/** @throws Error that names the input to declare instead, where the service cannot list users */
export function requireLists({ can }: PlanContext, what: string, instead: string): void {
  if (can.canListUsers) return;
  throw new Error(
    `cannot import ${what}: this service (orgseat:dialect) cannot list users, seats or tokens. ${instead}. To move the state of another stack, use \`orgseat import-file\``,
  );
}
