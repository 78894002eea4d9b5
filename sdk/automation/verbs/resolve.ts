/** `orgseat resolve`: records whether a machine user exists whose creation had no known result. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import {
  type CreationDecision,
  creationOf,
  recordDecision,
  requireFreeUser,
} from "../preview/decide-creation.ts";
import { type PreviewOptions, previewAll } from "../preview/preview.ts";
import { unknownAmong } from "../preview/resolve-members.ts";
import { idField } from "../roster/field-forms.ts";
import type { Organization } from "../stacks/organization.ts";

export interface ResolveResult {
  readonly key: string;
  /** The purpose. */
  readonly who: string;
  /** The stack with the record. */
  readonly stack: string;
  /** Undefined: the next `up` creates the user. */
  readonly userId: string | undefined;
}

/**
 * Records the decision in a tag of the stack: the next `up` adds the user to the state, or creates it. Sends no request.
 * @param who a key or a purpose
 * @throws if no run may have created this machine user, or a stack has the user of the decision
 */
export async function resolveCreation(
  organization: Organization,
  who: string,
  decision: CreationDecision,
  options: Pick<PreviewOptions, "listener" | "onPreviewed" | "signal"> = {},
): Promise<ResolveResult> {
  const userId = "exists" in decision ? decision.exists : undefined;
  if (userId !== undefined && !idField.safeParse(userId).success)
    throw new CodedError(
      "invalid-flag",
      `invalid user id ${userId}: expected an id from the service, such as 7a1f2c3d`,
    );
  const { creations, plan, failures } = await previewAll(organization, options);
  const [failure] = failures;
  if (failure !== undefined && unknownAmong([who], creations).length > 0) {
    throw new CodedError(
      "pulumi-failed",
      `cannot look for ${who}: the preview of stack ${failure.stack} failed: ${failure.text}`,
    );
  }
  const creation = creationOf(who, creations, plan.steps);
  if (userId !== undefined) requireFreeUser(userId, creation, creations, plan.steps);
  options.signal?.throwIfAborted();
  await recordDecision(organization, creation, decision);
  const { key, label, tag, stack } = creation;
  return { key, who: label, stack: tag?.stack ?? stack, userId };
}
