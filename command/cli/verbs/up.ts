/** `orgseat up`. */

import { CodedError } from "../../../provider/util/error-codes.ts";
import { type PlanDocument, shortDigest } from "../../plan/document.ts";
import { readPlan } from "../../preview/plan-file.ts";
import { upAll } from "../../verbs/up.ts";
import type { UpFlags } from "../line/flags.ts";
import { print } from "../output.ts";
import { runVerb } from "../session.ts";

export function upVerb(options: UpFlags): Promise<void> {
  if (options.planMaxAge !== undefined && options.plan === undefined)
    throw new CodedError("invalid-flag", "--plan-max-age needs --plan");
  const approvedPlan = options.plan === undefined ? undefined : readPlan(options.plan, options.planMaxAge);
  const given = approvedPlan === undefined ? options : withFlagsOf(approvedPlan, options);
  return runVerb("Applying", given, (organization, up) => upAll(organization, { ...up, approvedPlan }), {
    planTime: approvedPlan?.time,
    readsSecrets: true,
    prepare: async () => {
      if (approvedPlan !== undefined && !options.json)
        print(`Plan ${shortDigest(approvedPlan)} of ${options.plan}\n`);
    },
  });
}

/** The flags with which the plan was made. @throws for a flag that would make another plan */
function withFlagsOf(
  { refresh, refreshTokens, newStack, noRemovals, approve }: PlanDocument,
  options: UpFlags,
): UpFlags {
  const own = [
    ...(options.refresh && !refresh ? ["--refresh"] : []),
    ...(options.refreshTokens !== undefined && options.refreshTokens !== refreshTokens
      ? ["--refresh-tokens"]
      : []),
    ...(options.removals === false && !noRemovals ? ["--no-removals"] : []),
    ...(options.newStack && !newStack ? ["--new-stack"] : []),
    ...(options.approve !== undefined && options.approve !== approve ? ["--approve"] : []),
  ];
  if (own.length > 0) {
    throw new CodedError(
      "invalid-flag",
      `cannot combine --plan with ${own.join(" and ")}: the plan was made without. Pass the same flags to \`orgseat preview --plan\``,
    );
  }
  return {
    ...{ ...options, refresh, newStack, removals: !noRemovals },
    ...(refreshTokens !== null && { refreshTokens }),
    ...(approve !== null && { approve }),
  };
}
