/** What seats and tokens that a program wires by hand have in common: ids, owners, and what diff says. */
import { randomUUID } from "node:crypto";
import { inputIssue } from "../../resources/changes.ts";
import { refuseAdminRemoval } from "../../resources/members/user-facts.ts";
import type { OrgUserInputs } from "../../resources/org-user/schema.ts";
import { claimObject, isOwnedByAnother } from "../../resources/ownership.ts";
import type {
  CallContext,
  InputIssue,
  OrganizationAccess,
  PlanContext,
  TokenOwner,
} from "../../resources/resource.ts";
import { type Knowable, known } from "../../resources/unknown.ts";
import type { Held } from "../held.ts";
import type { Plan } from "../step.ts";
import { noteText, obstacleText, unitText } from "../texts.ts";

type Part = "SeatAssignment" | "UserToken";
type Access = Pick<OrgUserInputs, "organizationId" | "credentials">;

/** An own text. Seat and token have it as their id, which an update can't change, while their user can change. */
export function newId(part: "user" | "seat" | "token"): string {
  return `${part}-${randomUUID().slice(0, 13)}`;
}

const OWN_ID = /^(seat|token)-[0-9a-f]{8}-[0-9a-f]{4}$/;

export function checkUser({ userId }: Knowable<{ userId: string }>): InputIssue[] {
  const [, part] = OWN_ID.exec(known(userId) ?? "") ?? [];
  return part === undefined
    ? []
    : [
        inputIssue(
          "userId",
          `the id of a ${part}, which is no user id. Pass the output \`userId\` of the ${part}`,
        ),
      ];
}

/** Notes that this run has the part: where it stays, and where it is made. */
export function ownPart(
  part: Part,
  { ref, users }: Held,
  organizationId: string,
  context: PlanContext,
): void {
  for (const { id } of users) claimObject(context, part, id, { organizationId, instance: ref });
}

/** Whether another resource of this run has the part of this user; warns that nothing is removed then. */
export function isOwnedByOther(part: Part, held: Held, owner: TokenOwner, context: PlanContext): boolean {
  const { userId, organizationId } = owner;
  return isOwnedByAnother(context, part, userId, { organizationId, instance: held.ref });
}

/**
 * A part that moves to another user takes it from one whom this run removes.
 * @throws CodedError if that user is an administrator, whose membership will stay
 */
export async function refuseMove(
  olds: MovedPart & { readonly held: Held },
  news: MovedPart & { readonly allowAdminRemoval?: boolean | undefined },
  context: CallContext,
): Promise<void> {
  const { userId, organizationId, credentials, held } = olds;
  if (news.userId === userId || !context.guards.removesUser({ userId, organizationId })) return;
  const allowAdminRemoval = held.agreed.allowAdminRemoval === true || news.allowAdminRemoval === true;
  await refuseAdminRemoval({ organizationId, credentials, userId, allowAdminRemoval }, context);
}

type MovedPart = OrganizationAccess & { readonly userId: string };

/** Says in diff what the update will do. */
export function explainPlan(plan: Plan, what: "seat" | "token", userId: string, context: PlanContext): void {
  const who = context.people.nameOf(userId);
  const more = `changes of more ${what}s: not listed here, counted as updates`;
  for (const unit of plan.units)
    context.diagnostics.infoLimited(`${what} of ${who}: ${unitText(unit)}`, more);
  for (const obstacle of [...plan.refused, ...plan.waits])
    context.diagnostics.warn(obstacleText(obstacle, { who }));
  for (const note of plan.notes) context.diagnostics.warn(noteText(note, { who }));
}

/** What a call needs of a resource. */
export function accessOf({ organizationId, credentials }: Access) {
  return { organizationId, credentials };
}
