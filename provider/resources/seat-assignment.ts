/**
 * SeatAssignment: the seat of a user (calls 6, 10). Id: the user id. A changed user or organization replaces it, the
 * old one first, so no spare seat is needed. Removal gives the seat back; one that was taken over (`adopt`) stays,
 * unless `onDelete` is `remove`.
 */
import { z } from "zod";
import type { ApiError } from "../api/errors.ts";
import { idSchema } from "../api/schemas.ts";
import { changedKeys, completeOrganization } from "./changes.ts";
import { isRefused, mayHaveHappened, withNextStep } from "./failures.ts";
import { isKept, onDeleteSchema } from "./org-user.ts";
import { removeInOrder } from "./removal.ts";
import {
  accountCredentialsSchema,
  type CallContext,
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
  credentials: accountCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  adopted: z.boolean(),
  /** False while the answer of the assignment is outstanding; the next update asks again. */
  confirmed: z.boolean(),
});
const inputsSchema = z.object(inputs);
export type SeatAssignmentInputs = z.output<typeof inputsSchema>;
export type SeatAssignmentOutputs = z.output<typeof outputs>;

export const seatAssignment: ResourceDefinition<SeatAssignmentInputs, SeatAssignmentOutputs> = {
  name: "SeatAssignment",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  complete: completeOrganization,
  check: () => [],

  diff(_id, olds, news) {
    const replaces = changedKeys(olds, news, ["userId", "organizationId"]);
    const rest = changedKeys(olds, news, ["adopt", "onDelete", "credentials"]);
    return {
      changes: replaces.length + rest.length > 0 || !olds.confirmed,
      replaces,
      deleteBeforeReplace: true,
    };
  },

  async create(news, context) {
    const adopted = news.adopt === true;
    const outs = { ...news, stateVersion: STATE_VERSION, adopted, confirmed: true } as const;
    try {
      await assign(news, context, adopted);
      return { id: news.userId, outs };
    } catch (error) {
      if (!mayHaveHappened(error)) throw error;
      throw new PartiallyCreated(
        news.userId,
        { ...outs, confirmed: false },
        lostAnswer(error, context, news.userId),
      );
    }
  },

  async read(_id, outs) {
    return outs;
  },

  async update(_id, olds, news, context) {
    const outs = { ...news, stateVersion: STATE_VERSION, adopted: olds.adopted, confirmed: true } as const;
    if (olds.confirmed) return outs;
    try {
      await assign(news, context, true);
      return outs;
    } catch (error) {
      if (!mayHaveHappened(error)) throw error;
      throw new PartiallyCreated(
        news.userId,
        { ...outs, confirmed: false },
        lostAnswer(error, context, news.userId),
      );
    }
  },

  async delete(id, outs, context) {
    if (isKept(outs)) {
      context.warn(`SeatAssignment of ${context.people.nameOf(id)} is released; the seat stays assigned.`);
      return;
    }
    await removeInOrder(context, {
      owner: outs,
      userId: id,
      call: () => context.api(outs).removeSeat(id, context.operation),
      remedy: `A token of ${context.people.nameOf(id)} still lives. Where a UserToken of this program holds it, give it \`userId: seat.id\`, so that it goes first; else revoke it at the service.`,
    });
  },
};

/** Call 6. @param mayHold whether a 409 ("holds a seat already") is what was hoped for */
async function assign(news: SeatAssignmentInputs, context: CallContext, mayHold: boolean): Promise<void> {
  try {
    await context.api(news).assignSeat(news.userId, context.operation);
  } catch (error) {
    if (mayHold && isRefused(error, 409)) return;
    throw explain(error, news.userId, context);
  }
}

function explain(error: unknown, userId: string, context: CallContext): unknown {
  const who = context.people.nameOf(userId);
  if (isRefused(error, 402)) {
    return withNextStep(
      error,
      `No seat is free for ${who} (or the subscription has ended). Give a seat back, in a run of its own before this one, or buy one; then run \`pulumi up\` again, which goes on from here.`,
    );
  }
  if (isRefused(error, 409)) {
    return withNextStep(
      error,
      `${who} holds a seat already, and the service does not say who assigned it. To take it over, give this SeatAssignment of user id ${userId} \`adopt: true\`.`,
    );
  }
  if (isRefused(error, 404)) {
    return withNextStep(
      error,
      `${who} is not in the organization any more. Replace the OrgUser (\`pulumi up --replace <its URN>\`), or remove the person from the program.`,
    );
  }
  return error;
}

function lostAnswer(error: ApiError, context: CallContext, userId: string): string {
  return `${error.message.replace(/[.\s]*$/, "")}. The seat of ${context.people.nameOf(userId)} may have been assigned; run \`pulumi up\` again, which makes sure of it and uses no second seat.`;
}
