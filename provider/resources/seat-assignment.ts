/**
 * SeatAssignment: the seat of a user (assign seat, remove seat). Id: the user id. A changed user or organization replaces
 * it, deleting the old one first, so no spare seat is needed. Removal frees the seat; an adopted one is retained, unless
 * `onDelete` is `remove`.
 */
import { z } from "zod";
import type { ApiError } from "../api/errors.ts";
import { idSchema } from "../api/schemas.ts";
import { changedKeys, completeOrganization } from "./changes.ts";
import { isAssignedAgain } from "./effects.ts";
import { isRefused, mayHaveSucceeded, userIsGone, withNextStep } from "./failures.ts";
import { onDeleteSchema } from "./org-user.ts";
import {
  claimObject,
  isOwnedByAnother,
  newInstance,
  ownershipOutputs,
  refuseContested,
} from "./ownership.ts";
import { isKept, removeInOrder } from "./removal.ts";
import {
  type CallContext,
  clientCredentialsSchema,
  commonOutputs,
  organizationIdSchema,
  PartiallyCreated,
  type ResourceDefinition,
  STATE_VERSION,
} from "./resource.ts";

const inputs = {
  userId: idSchema,
  adopt: z.boolean().optional(),
  onDelete: onDeleteSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  adopted: z.boolean(),
  /** False where the response of the assignment was lost; the next update assigns again. */
  confirmed: z.boolean(),
});
const inputsSchema = z.object(inputs);
type SeatAssignmentInputs = z.output<typeof inputsSchema>;
type SeatAssignmentOutputs = z.output<typeof outputs>;

export const seatAssignmentDefinition: ResourceDefinition<SeatAssignmentInputs, SeatAssignmentOutputs> = {
  name: "SeatAssignment",
  area: "organization",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  complete: completeOrganization,
  check: () => [],

  diff(id, olds, news, context) {
    const replaces = changedKeys(olds, news, ["userId", "organizationId"]);
    if (replaces.length === 0) claimObject(context, "SeatAssignment", id, olds);
    const rest = changedKeys(olds, news, ["adopt", "onDelete", "credentials"]);
    return {
      changes: replaces.length + rest.length > 0 || isAssignedAgain(olds),
      replaces,
      deleteBeforeReplace: true,
    };
  },

  async create(news, context) {
    refuseContested(context, news);
    // Pulumi passes a user id on only after the state has it.
    context.creations.settle(news.organizationId, news.userId);
    const outs = outsOf(news, { adopted: news.adopt === true, instance: newInstance() });
    claimObject(context, "SeatAssignment", news.userId, outs);
    // No call reads a seat, and "assign seat" would assign a missing one: an adopt-only run must trust the program.
    if (context.adoptOnly && outs.adopted) return { id: news.userId, outs };
    return { id: news.userId, outs: await assign(outs, context, outs.adopted) };
  },

  async read(_id, outs) {
    return outs;
  },

  async update(_id, olds, news, context) {
    const outs = outsOf(news, olds);
    return isAssignedAgain(olds) ? assign(outs, context, true) : outs;
  },

  updateWrites: (olds) => (isAssignedAgain(olds) ? ["assign seat"] : []),

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "SeatAssignment", id, outs)) return "kept";
    if (isKept(outs)) {
      context.warn(`SeatAssignment of ${context.people.nameOf(id)} is released: the seat is retained.`);
      return "kept";
    }
    return removeInOrder(context, {
      type: "SeatAssignment",
      owner: outs,
      userId: id,
      call: () => context.api(outs).removeSeat(id, context.operation),
      remedy: `${context.people.nameOf(id)} still has a token. If a UserToken of this program manages it, set \`userId: seat.id\` on it, so that Pulumi revokes it first; otherwise revoke it in the service.`,
      advice: "token-left",
    });
  },
};

function outsOf(
  news: SeatAssignmentInputs,
  { adopted, instance }: Pick<SeatAssignmentOutputs, "adopted" | "instance">,
): SeatAssignmentOutputs {
  return { ...news, stateVersion: STATE_VERSION, instance, adopted, confirmed: true };
}

/**
 * Assigns the seat. Where the response is lost, the state keeps the seat as not confirmed, and the next update assigns
 * again.
 * @param mayHaveSeat whether a 409 ("has a seat already") counts as success
 */
async function assign(
  outs: SeatAssignmentOutputs,
  context: CallContext,
  mayHaveSeat: boolean,
): Promise<SeatAssignmentOutputs> {
  const { userId } = outs;
  try {
    await context.api(outs).assignSeat(userId, context.operation);
    return outs;
  } catch (error) {
    if (mayHaveSeat && isRefused(error, 409)) return outs;
    if (!mayHaveSucceeded(error)) throw withAdvice(error, userId, context);
    const lost = lostAnswer(error, context, userId);
    throw new PartiallyCreated(userId, { ...outs, confirmed: false }, lost.message, lost);
  }
}

function withAdvice(error: unknown, userId: string, context: CallContext): unknown {
  const who = context.people.nameOf(userId);
  if (isRefused(error, 402)) {
    return withNextStep(
      error,
      `No seat is available for ${who}, or the subscription has ended. Free a seat in a separate run, or buy one; then run \`pulumi up\` again, which resumes here.`,
      "no-seats",
    );
  }
  if (isRefused(error, 409)) {
    return withNextStep(
      error,
      `${who} has a seat already, and the service does not report who assigned it. If this SeatAssignment was renamed or moved in the program, use \`aliases\`. To adopt the seat, set \`adopt: true\` on this SeatAssignment of user id ${userId}.`,
      "seat-exists",
    );
  }
  if (isRefused(error, 404)) {
    return withNextStep(error, userIsGone(who), "user-gone");
  }
  return error;
}

function lostAnswer(error: ApiError, context: CallContext, userId: string): Error {
  return withNextStep(
    error,
    `The seat of ${context.people.nameOf(userId)} may have been assigned. Run \`pulumi up\` again, which confirms it and uses no second seat.`,
    "seat-unknown",
  );
}
