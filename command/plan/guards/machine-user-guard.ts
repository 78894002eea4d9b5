/**
 * Machine users whom a plan would create beside one of the same purpose that no state has: a lost state, or another roster of
 * the organization, may have made it.
 */
import { counted } from "../../../provider/util/text.ts";
import type { Plan, Removal } from "../plan.ts";
import { overrideError, overrideFor } from "./override.ts";
import { type Violation, violationAbout } from "./violation.ts";

/** A machine user of the plan, and the listed ones with its names. */
export interface Twin {
  readonly key: string;
  readonly userIds: readonly string[];
}

/** The same plan, whose override is for these machine users too. */
export function withTwins(plan: Plan, twins: readonly Twin[]): Plan {
  const beside = twins.flatMap(({ key, userIds }) =>
    userIds.map((id): Removal => ({ operation: "add user", id: `${key} beside ${id}` })),
  );
  return { ...plan, removals: [...plan.removals, ...beside] };
}

/** @param plan of `withTwins` */
export function existingMachineUsers(
  { members, organizationId, removals }: Plan,
  twins: readonly Twin[],
  { override, now }: { readonly override: string | undefined; readonly now: number },
): Violation[] {
  const error = override === undefined ? undefined : overrideError(override, organizationId, removals, now);
  if (override !== undefined && error === undefined) return [];
  const found = members.flatMap((member) => {
    const twin = twins.find(({ key }) => key === member.key);
    return twin === undefined ? [] : { member, detail: `${member.label}: user ${twin.userIds.join(", ")}` };
  });
  const reason = error === undefined ? "" : ` The value of --approve is not valid: ${error}.`;
  const pass = overrideFor(organizationId, removals, now);
  return violationAbout("machine-user-exists", found, (_, isOne) => {
    const count = counted(found.length, "machine user");
    return `the plan adds ${count} whose purpose a user in the service has, and no state knows that user: a lost state or another roster may have added it. To adopt it, write its id into \`user_id\` of the ${isOne ? "row" : "rows"}.${reason}`;
  }).map((one) => ({ ...one, override: pass }));
}
