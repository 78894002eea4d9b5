/** What seats and tokens that a program wires by hand have in common: ids, owners, what diff says, and removal. */
import { randomUUID } from "node:crypto";
import { changedKeys, inputIssue } from "../../resources/changes.ts";
import type { CallContext, OrganizationAccess, PlanContext, TokenOwner } from "../../resources/contexts.ts";
import { refuseAdminRemoval } from "../../resources/members/user-facts.ts";
import type { OrgUserInputs } from "../../resources/org-user/schema.ts";
import { claimObject, isOwnedByAnother } from "../../resources/ownership.ts";
import type { InputIssue } from "../../resources/resource.ts";
import { type Knowable, known, unknown } from "../../resources/unknown.ts";
import { type Execution, leave } from "../execute/execute.ts";
import type { Held } from "../held.ts";
import { hasChanges, type Plan } from "../step.ts";
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

/** Notes that this run has the part: where it stays, and where it is made. A token with an id is claimed by it: a user can have several. */
export function ownPart(
  part: Part,
  { ref, users }: Held,
  organizationId: string,
  context: PlanContext,
): void {
  for (const { id, tokens } of users) {
    const ids = part === "UserToken" ? tokens.map((token) => token.id ?? id) : [];
    for (const name of ids.length === 0 ? [id] : ids)
      claimObject(context, part, name, { organizationId, instance: ref });
  }
}

/** Whether another resource of this run has the part of this user; warns that nothing is removed then. */
export function isOwnedByOther(part: Part, held: Held, owner: TokenOwner, context: PlanContext): boolean {
  const { userId, organizationId } = owner;
  const [token] = part === "UserToken" ? held.users.flatMap(({ tokens }) => tokens) : [];
  const owned = { organizationId, instance: held.ref };
  return isOwnedByAnother(context, part, token?.id ?? userId, owned, userId);
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

/** What diff says of a part. @param planOf its plan by the state alone */
export function diffPart(
  part: Part,
  olds: PartInputs & { readonly held: Held },
  news: Knowable<PartInputs>,
  planOf: () => Plan,
  context: PlanContext,
): { changes: boolean; replaces: "organizationId"[] } {
  const replaces = changedKeys<PartInputs, "organizationId">(olds, news, ["organizationId"]);
  if (replaces.length > 0) return { changes: true, replaces };
  ownPart(part, olds.held, olds.organizationId, context);
  const others = changedKeys<PartInputs, "credentials">(olds, news, ["credentials"]);
  if (news.userId === unknown) return { changes: true, replaces: [] };
  const plan = planOf();
  explainPlan(plan, part, olds.userId, context);
  return { changes: hasChanges(plan) || others.length > 0, replaces: [] };
}

type PartInputs = Access & { readonly userId: string };

/** Says in diff what the update will do. */
function explainPlan(plan: Plan, part: Part, userId: string, context: PlanContext): void {
  const what = part === "UserToken" ? "token" : "seat";
  const who = context.people.nameOf(userId);
  const more = `changes of more ${what}s: not listed here, counted as updates`;
  for (const unit of plan.units)
    context.diagnostics.infoLimited(`${what} of ${who}: ${unitText(unit)}`, more);
  for (const obstacle of [...plan.refused, ...plan.waits])
    context.diagnostics.warn(obstacleText(obstacle, { who }));
  for (const note of plan.notes) context.diagnostics.warn(noteText(note, { who }));
}

/** Takes the part from its users. @throws Error if the service refuses it, or if an administrator would lose it */
export async function removePart(
  { held, userId, ...access }: MovedPart & { readonly held: Held },
  plan: Execution["plan"],
  context: CallContext,
): ReturnType<typeof leave> {
  const { organizationId } = access;
  const allowAdminRemoval = held.agreed.allowAdminRemoval === true;
  if (context.guards.removesUser({ userId, organizationId }))
    await refuseAdminRemoval({ ...access, userId, allowAdminRemoval }, context);
  return leave({ stored: held, access, plan }, context);
}

/** What a call needs of a resource. */
export function accessOf({ organizationId, credentials }: Access) {
  return { organizationId, credentials };
}
