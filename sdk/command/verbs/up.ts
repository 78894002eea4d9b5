/** `orgseat up`. */

import type { PlanDocument } from "../../automation/plan/document.ts";
import type { CreationDecision } from "../../automation/preview/creations.ts";
import { readPlan } from "../../automation/preview/plan-file.ts";
import { upAll } from "../../automation/verbs/up.ts";
import type { UpFlags } from "../flags.ts";
import { runVerb } from "../session.ts";

export function upVerb(options: UpFlags): Promise<void> {
  const decisions = decisionsOf(options);
  const approvedPlan = options.plan === undefined ? undefined : readPlan(options.plan, options.planMaxAge);
  const given = approvedPlan === undefined ? options : withFlagsOf(approvedPlan, options);
  const { refresh, refreshTokens } = given;
  return runVerb(
    "Applying",
    given,
    (organization, up) => upAll(organization, { ...up, decisions, approvedPlan, refresh, refreshTokens }),
    { planTime: approvedPlan?.time },
  );
}

/** The flags with which the plan was made. @throws for a flag that would make another plan */
function withFlagsOf({ refresh, refreshTokens, newStack, approve }: PlanDocument, options: UpFlags): UpFlags {
  const own = [
    ...(options.refresh && !refresh ? ["--refresh"] : []),
    ...(options.refreshTokens !== undefined && options.refreshTokens !== refreshTokens
      ? ["--refresh-tokens"]
      : []),
    ...(options.newStack && !newStack ? ["--new-stack"] : []),
    ...(options.approve !== undefined && options.approve !== approve ? ["--approve"] : []),
  ];
  if (own.length > 0) {
    throw new Error(
      `cannot combine --plan with ${own.join(" and ")}: the plan was made without. Pass the same flags to \`orgseat preview --plan\``,
    );
  }
  return {
    ...{ ...options, refresh, newStack },
    ...(refreshTokens !== null && { refreshTokens }),
    ...(approve !== null && { approve }),
  };
}

function decisionsOf({ created = [], notCreated = [] }: UpFlags): CreationDecision[] {
  return [...created.map(creationOf), ...notCreated.map((who) => ({ who, userId: undefined }))];
}

/** A purpose can contain an equals sign, a user id cannot. */
function creationOf(text: string): CreationDecision {
  const at = text.lastIndexOf("=");
  const [who, userId] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (who === "" || !/^[A-Za-z0-9._~-]{1,128}$/.test(userId)) {
    throw new Error(`invalid --created ${text}: expected <who>=<user id>, for example builds=7a1f2c3d`);
  }
  return { who, userId };
}
