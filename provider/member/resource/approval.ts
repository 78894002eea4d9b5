/** What a run of an approved plan may do to a member: the steps that the plan showed, by what the plan read. */
import type { OrganizationAccess, PlanContext } from "../../resources/contexts.ts";
import { CodedError } from "../../util/error-codes.ts";
import { type ApprovedMember, approvedMemberSchema, unitKey, wantedAs } from "../approved.ts";
import type { Execution } from "../execute/execute.ts";
import { type Held, nothingHeld } from "../held.ts";
import { observe, unread } from "../observe.ts";
import type { Plan, Unit } from "../step.ts";
import { stepsOf } from "../steps/steps-of.ts";
import type { Wanted } from "../wanted.ts";
import type { OrgMemberInputs } from "./schema.ts";

/** In the run of an approved plan, the approved part of it, by what the plan read. */
export function planOf(held: Held, wanted: Wanted, context: PlanContext): Plan {
  const can = context.can;
  const approved = approvalOf(held.ref, context);
  if (approved === undefined) return stepsOf(unread(held), wanted, context.now, can);
  const plan = stepsOf(observe(held, approved.seen ?? {}), wantedAs(wanted, approved), context.now, can);
  return { ...plan, units: plan.units.filter((unit) => approved.units.includes(unitKey(unit))) };
}

/** Undefined in a run without an approved plan. */
function approvalOf(ref: string, { approvedOf }: PlanContext): ApprovedMember | undefined {
  if (approvedOf === undefined) return undefined;
  return approvedMemberSchema.catch({ units: [] }).parse(approvedOf(ref));
}

/** Whether the approved plan sends something of the member. */
export function isApproved({ ref }: Pick<Held, "ref">, context: PlanContext): boolean {
  return (approvalOf(ref, context)?.units.length ?? 0) > 0;
}

/**
 * Nothing is left of the approved steps if another run has made them, and other ones if it has changed the member.
 * @throws CodedError for other ones
 */
export function refuseOther(held: Held, wanted: Wanted, who: string, context: PlanContext): void {
  const approved = approvalOf(held.ref, context);
  if (approved === undefined || approved.units.length === 0) return;
  const observed = observe(held, approved.seen ?? {});
  const { units } = stepsOf(observed, wantedAs(wanted, approved), context.now, context.can);
  const isDue = units.some(({ steps }) => steps.some(({ call }) => call !== undefined));
  if (!isDue || units.some((unit) => approved.units.includes(unitKey(unit)))) return;
  throw new CodedError(
    "not-approved",
    `cannot change ${who}: the preview did not show this change, and something has changed since. Nothing was sent. Run \`orgseat up\` again and check its preview`,
  );
}

/** What a new member holds: nothing, but perhaps what an interrupted run has added. */
export function heldAtFirst(
  { ref, key, leaving }: Pick<OrgMemberInputs, "key" | "leaving"> & { readonly ref: string },
  context: PlanContext,
): Held {
  // Another run has removed the member meanwhile.
  if (leaving === true) return { ...nothingHeld(ref, key), agreed: { leaving } };
  const { pending } = approvalOf(ref, context) ?? {};
  return { ...nothingHeld(ref, key), ...(pending && { pending }) };
}

/** What is executed: in the run of an approved plan, the approved steps alone. */
export function jobOf(
  stored: Held,
  wanted: Wanted,
  access: OrganizationAccess,
  context: PlanContext,
): Execution {
  const approved = approvalOf(stored.ref, context);
  if (approved === undefined) return { stored, wanted, access };
  const { seen, units } = approved;
  const isApproved = (unit: Unit) => units.includes(unitKey(unit));
  return { stored, wanted: wantedAs(wanted, approved), access, seen, isApproved };
}

/** @throws CodedError in the run of an approved plan: no plan deletes a member that still holds something */
export function refuseUnapproved(who: string, { approvedOf }: PlanContext): void {
  if (approvedOf === undefined) return;
  throw new CodedError(
    "not-approved",
    `cannot remove ${who}: the plan of this run does not have it. Nothing was sent. Run \`orgseat up\` again`,
  );
}
