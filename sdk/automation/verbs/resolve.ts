/** `orgseat resolve`: records whether a machine user exists whose creation had no known result. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { nameIn, type Step } from "../plan/steps/steps.ts";
import { closedCreations, createsMachineUser } from "../preview/creations.ts";
import {
  type CreationDecision,
  creationOf,
  recordDecision,
  requireFreeUser,
} from "../preview/decide-creation.ts";
import { type PreviewOptions, previewAll } from "../preview/preview.ts";
import { unknownAmong } from "../preview/resolve-members.ts";
import { idField } from "../roster/field-forms.ts";
import { listedRoles } from "../service/service-members.ts";
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

interface ResolveOptions extends Pick<PreviewOptions, "listener" | "onPreviewed" | "signal"> {
  /** Is called before the decision is recorded. */
  readonly onRecord?: (() => void) | undefined;
}

/**
 * Records the decision in a tag of the stack: the next `up` adds the user to the state, or creates it. Changes nothing in
 * the service.
 * @param who a key or a purpose
 * @throws if no run may have created this machine user, a stack has the user of the decision, or the service can list
 * users and does not list this one
 */
export async function resolveCreation(
  organization: Organization,
  who: string,
  decision: CreationDecision,
  options: ResolveOptions = {},
): Promise<ResolveResult> {
  const userId = "exists" in decision ? decision.exists : undefined;
  if (userId !== undefined && !idField.safeParse(userId).success)
    throw new CodedError(
      "invalid-flag",
      `invalid user id ${userId}: expected an id from the service, such as 7a1f2c3d`,
    );
  const { creations: open, plan, failures } = await previewAll(organization, options);
  const isOpen = new Set(open.map(({ urn }) => urn));
  const closed = await closedCreations(organization, plan.steps);
  const creations = [...open, ...closed.filter(({ urn }) => !isOpen.has(urn))];
  const [failure] = failures;
  if (failure !== undefined && unknownAmong([who], creations).length > 0) {
    throw new CodedError(
      "pulumi-failed",
      `cannot look for ${who}: the preview of stack ${failure.stack} failed: ${failure.text}`,
    );
  }
  const creation = creationOf(twinOf(who, organization, plan.steps), creations, plan.steps);
  if (userId !== undefined) {
    requireFreeUser(userId, creation, creations, plan.steps);
    await requireListed(organization, userId, options.signal);
  }
  options.signal?.throwIfAborted();
  options.onRecord?.();
  await recordDecision(organization, creation, decision);
  const { key, label, tag, stack } = creation;
  return { key, who: label, stack: tag?.stack ?? stack, userId };
}

/**
 * Machine users of one purpose are interchangeable: the run that showed this one as undecided can have adopted it, and left
 * another one undecided in its place. @returns the key of that one
 */
function twinOf(who: string, { roster }: Organization, steps: readonly Step[]): string {
  const creating = steps.filter(createsMachineUser);
  const purpose = roster.people.find(({ key }) => key === who)?.purpose;
  if (purpose === undefined || creating.some(({ member }) => member === who)) return who;
  return creating.find(({ news }) => nameIn(news) === purpose)?.member ?? who;
}

/** A run that does not find the user of a decision creates another one. */
async function requireListed(
  organization: Organization,
  userId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const listed = await listedRoles(organization, new Set([userId]), signal);
  if (listed === undefined || listed.has(userId)) return;
  throw new CodedError(
    "wrong-user-id",
    `user ${userId} is not in the organization. Check the user id in the service's admin console; if the user does not exist, pass --missing`,
  );
}
