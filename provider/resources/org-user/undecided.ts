/**
 * A machine user whose creation got no answer. Nothing in the service reports it from others of the same names, so the
 * state keeps a placeholder until a person, or on anaconda the list, decides whether the user exists.
 */

import type { ApiError } from "../../api/calls/errors.ts";
import { notSent, withNextStep } from "../failures.ts";
import { describeUsers, newcomers } from "../members/member-list.ts";
import { freshMembers, requireRightsOnce, sharedMembers } from "../members/reads.ts";
import { isOwned } from "../ownership.ts";
import { type CallContext, PartiallyCreated, type PlanContext } from "../resource.ts";
import type { Knowable } from "../unknown.ts";
import { labelOf } from "./messages.ts";
import { decisionOf, placeholderOf } from "./placeholder.ts";
import type { OrgUserInputs, OrgUserOutputs } from "./schema.ts";

/** The error of a lost answer: the state keeps the placeholder. @param why the list does not settle it, as a sentence */
export function lostCreation(
  news: OrgUserInputs,
  lost: ApiError,
  context: CallContext,
  { before, why = "" }: { readonly before?: Iterable<string>; readonly why?: string } = {},
): PartiallyCreated {
  const { id, outs } = placeholderOf(news, {
    time: context.sendTime(),
    ...(before && { before: [...before] }),
  });
  const effect = `A machine user named ${labelOf(news)} may now exist. ${why}`;
  return new PartiallyCreated(
    id,
    outs,
    withNextStep(lost, nextStep(context), "machine-user-unknown", effect),
  );
}

/** The diff of a placeholder: an update that fails, until the machine user is adopted, or decided to be missing. */
export function placeholderDiff(olds: OrgUserOutputs, news: Knowable<OrgUserInputs>, context: PlanContext) {
  const replacedBy = (key: "adopt" | "purpose") => ({ changes: true, replaces: [key] }) as const;
  if (news.adopt !== undefined) return replacedBy("adopt");
  if (decisionOf(olds) === "missing") return replacedBy("purpose");
  context.warn(
    `OrgUser ${labelOf(olds)}: a run at ${olds.creation?.time} ${REQUESTED}. ${nextStep(context)}`,
  );
  return { changes: true, replaces: [] } as const;
}

const REQUESTED = "requested this machine user and got no answer, so the user may exist";

/** The next step of every failure with an undecided user. */
function nextStep({ can }: Pick<PlanContext, "can">): string {
  const list = can.canListUsers
    ? "`pulumi up --refresh` adds the user if the list of users has none of these names. Otherwise check"
    : "Check";
  return `${list} in the service whether the user exists. If so, set \`adopt: "<user id>"\` and \`onDelete: "delete"\` on this OrgUser, then run \`pulumi up\`; if not, run \`pulumi up --replace <its URN>\`, which adds it.`;
}

/** Nothing was sent. */
export function undecidedError(olds: OrgUserOutputs, context: PlanContext): Error {
  const reason = `a run at ${olds.creation?.time} requested a machine user named ${labelOf(olds)} and got no answer, so the user may exist`;
  return withNextStep(notAdded(olds, reason), nextStep(context), "machine-user-undecided");
}

export function notAdded(
  { organizationId }: Pick<OrgUserInputs, "organizationId">,
  reason: string,
): ApiError {
  return notSent("add user", `/organizations/${organizationId}/users`, reason);
}

/** A placeholder stays, unless no list has a user of these names who may be the new one. */
export async function readPlaceholder(
  outs: OrgUserOutputs,
  context: CallContext,
): Promise<OrgUserOutputs | undefined> {
  if (!context.can.canListUsers || decisionOf(outs) === "missing") return outs;
  for (const read of [sharedMembers, freshMembers]) {
    const list = await read(outs, context);
    await requireRightsOnce(list, outs, context);
    const found = newcomers(list.users, { before: outs.creation?.before, inputs: outs }).filter(
      ({ id }) => !isOwned(context, "OrgUser", id, outs.organizationId),
    );
    if (found.length === 0) continue;
    context.warn(
      `OrgUser ${labelOf(outs)}: a run at ${outs.creation?.time} ${REQUESTED}. The list of users has ${describeUsers(found)}. If no other resource has it, set \`adopt: "<user id>"\` and \`onDelete: "delete"\` on this OrgUser; otherwise run \`pulumi up --replace <its URN>\`, which adds one.`,
    );
    return outs;
  }
  return undefined;
}

/** The row or the resource is gone, and no one knows whether the user is. */
export function warnIfUndecided(outs: OrgUserOutputs, context: PlanContext): void {
  if (decisionOf(outs) !== "undecided") return;
  context.warn(
    `OrgUser ${labelOf(outs)}: a run at ${outs.creation?.time} ${REQUESTED}. No state has it now. Check in the service, and remove it there.`,
  );
}
