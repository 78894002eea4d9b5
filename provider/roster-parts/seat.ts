/**
 * SeatAssignment: the seat of a user (assign seat, remove seat). Id: the user id. A changed user or organization replaces
 * it, deleting the old one first, so no spare seat is needed. Removal frees the seat; an adopted one is retained, unless
 * `onDelete` is `delete`.
 */

import { z } from "zod";
import type { ApiError } from "../api/calls/errors.ts";
import { hiddenIn } from "../api/schemas/forgiving-list.ts";
import { idSchema, instantSchema, organizationIdSchema } from "../api/schemas/schemas.ts";
import {
  changedKeys,
  completeOrganization,
  organizationOf,
  requireLists,
  unsupportedEmails,
} from "../resources/changes.ts";
import { type Creation, createOnce } from "../resources/create-once.ts";
import { IF_FORCED, isAbsent, isRefused, userIsGone, withNextStep } from "../resources/failures.ts";
import { type MemberList, seatOf } from "../resources/members/member-list.ts";
import { findMember, freshMembers, holdsSeat, sharedMembers } from "../resources/members/reads.ts";
import { isKept, isRetained, removeInOrder } from "../resources/members/removal.ts";
import type { SeatStatus } from "../resources/members/seat-codes.ts";
import { keepingUnread, undecidedBy } from "../resources/members/unreadable.ts";
import { refuseAdminRemoval } from "../resources/members/user-facts.ts";
import { forgetWrite, onceKnown, wasWritten } from "../resources/members/written.ts";
import { operationsBy, perform } from "../resources/operations.ts";
import { onDeleteSchema } from "../resources/org-user/schema.ts";
import {
  claimObject,
  isOwnedByAnother,
  newInstance,
  ownershipOutputs,
  refuseContested,
} from "../resources/ownership.ts";
import {
  type CallContext,
  clientCredentialsSchema,
  commonOutputs,
  PartiallyCreated,
  type ResourceDefinition,
} from "../resources/resource.ts";
import { STATE_VERSION } from "../resources/resource-types.ts";
import { CodedError } from "../util/error-codes.ts";

export const inputs = {
  userId: idSchema,
  adopt: z.boolean().optional(),
  onDelete: onDeleteSchema.optional(),
  sendEmail: z.boolean().optional(),
  allowAdminRemoval: z.boolean().optional(),
  /** As of an OrgUser. */
  accessEnd: instantSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
export const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  adopted: z.boolean(),
  /** False if the response of the assignment was lost; the next update assigns again. */
  confirmed: z.boolean(),
});
const inputsSchema = z.object(inputs);
export type SeatAssignmentInputs = z.output<typeof inputsSchema>;
export type SeatAssignmentOutputs = z.output<typeof outputs>;

export function outsOf(
  news: SeatAssignmentInputs,
  { adopted, instance }: Pick<SeatAssignmentOutputs, "adopted" | "instance">,
): SeatAssignmentOutputs {
  return { ...news, stateVersion: STATE_VERSION, instance, adopted, confirmed: true };
}

const identity = ["userId", "organizationId"] as const;

export const seatAssignmentDefinition: ResourceDefinition<SeatAssignmentInputs, SeatAssignmentOutputs> = {
  name: "SeatAssignment",
  area: "organization",
  inputs,
  outputs,
  secretOutputs: [],
  stableOutputs: ["adopted"],
  identity,
  complete: completeOrganization,
  check: (news, _olds, context) => unsupportedEmails(news, context),

  diff(id, olds, news, context) {
    const replaces = changedKeys(olds, news, identity);
    if (replaces.length === 0) claimObject(context, "SeatAssignment", id, olds);
    const rest = changedKeys(olds, news, [
      "adopt",
      "onDelete",
      "sendEmail",
      "allowAdminRemoval",
      "accessEnd",
      "credentials",
    ]);
    return {
      changes: replaces.length + rest.length > 0 || isAssignedAgain(olds),
      replaces,
      deleteBeforeReplace: true,
    };
  },

  operations(change) {
    const { olds = {}, news = {}, lacksObject = false } = change;
    const facts = { "assign seat": news.sendEmail === true ? { emails: ["seat"] } : {} };
    return operationsBy(change, {
      create: () =>
        perform(change, news.adopt === true && !lacksObject ? "adoptSeat" : "assignSeat", { facts }),
      update: () =>
        perform(change, isAssignedAgain({ confirmed: olds.confirmed !== false }) ? "assignSeat" : "note", {
          facts,
        }),
      remove: () => perform(change, isKept(olds) ? "keepSeat" : "returnSeat"),
    });
  },

  async create(news, context) {
    refuseContested(context, news);
    const outs = outsOf(news, { adopted: news.adopt === true, instance: newInstance() });
    claimObject(context, "SeatAssignment", news.userId, outs);
    if (outs.adopted && (await hasSeatToAdopt(outs, context))) return { id: news.userId, outs };
    return { id: news.userId, outs: await assign(outs, context, outs.adopted) };
  },

  async find(id, given, context) {
    const what = `the seat of user ${id}`;
    requireLists(context, what, `Declare a SeatAssignment with \`userId: "${id}"\` and \`adopt: true\``);
    const organizationId = organizationOf(given, context, what);
    const news = { ...given, organizationId, userId: id };
    const outs = outsOf(news, { adopted: true, instance: newInstance() });
    return (await isAssigned(outs, context)) ? outs : undefined;
  },

  async read(_id, outs, context) {
    if (!context.can.canListUsers) return outs;
    if (!outs.confirmed)
      return (await sharedSeat(outs, context)) === "yes" ? { ...outs, confirmed: true } : outs;
    const read = async () => ((await isAssigned(outs, context)) ? outs : undefined);
    return keepingUnread(outs, read, context);
  },

  async update(_id, olds, news, context) {
    const outs = outsOf(news, olds);
    return isAssignedAgain(olds) ? assign(outs, context, true) : outs;
  },

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "SeatAssignment", id, outs)) return "kept";
    if (isRetained("seat", outs, context)) {
      context.warn(`SeatAssignment of ${context.people.nameOf(id)} is retained: the seat stays assigned.`);
      return "kept";
    }
    if (context.removesUser(outs)) await refuseAdminRemoval(outs, context);
    return removeInOrder(context, {
      type: "SeatAssignment",
      owner: outs,
      userId: id,
      call: () => context.api(outs).removeSeat(id, context.operation),
      remedy: () =>
        `${context.people.nameOf(id)} still has a token. If a UserToken of this program manages it, set \`userId: seat.id\` on it, so that Pulumi revokes it first; otherwise revoke it in the service.`,
      advice: "token-left",
    });
  },
};

/** Whether an update assigns the seat: the previous response was lost. */
function isAssignedAgain({ confirmed }: Pick<SeatAssignmentOutputs, "confirmed">): boolean {
  return !confirmed;
}

/** Whether the user exists and has a seat, both confirmed. */
async function isAssigned(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  return (await findMember(outs, context)) !== undefined && (await holdsSeat(outs, context));
}

function seatOfUser({ userId }: SeatAssignmentOutputs, { defaults: { product } }: CallContext) {
  return { userId, seat: { product } };
}

/** Whether the list of this run shows the seat. */
async function sharedSeat(outs: SeatAssignmentOutputs, context: CallContext): Promise<SeatStatus> {
  return showsSeat(await sharedMembers(outs, context), outs, context);
}

function showsSeat(list: MemberList, outs: SeatAssignmentOutputs, context: CallContext): SeatStatus {
  const member = list.byId.get(outs.userId);
  if (wasWritten("seat removed", outs, context)) return "no";
  if (member === undefined) return hiddenIn(list.odd).length > 0 ? "unknown" : "no";
  return seatOf(list, member, context.defaults.product);
}

/**
 * Whether there is a seat to adopt. Without lists an adopt-only run must trust the program: no call reads a seat, and
 * "assign seat" would assign a missing one.
 */
async function hasSeatToAdopt(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  if (!context.can.canListUsers) return context.adoptOnly;
  const status = await sharedSeat(outs, context);
  if (status === "yes") return true;
  const who = `the seat of ${context.people.nameOf(outs.userId)}`;
  if (status === "unknown")
    throw undecidedBy(await sharedMembers(outs, context), seatOfUser(outs, context), who);
  if (!context.adoptOnly) return false;
  throw new CodedError(
    "cannot-adopt",
    `cannot adopt the seat of ${context.people.nameOf(outs.userId)}: the list of users shows none. Remove the SeatAssignment, or assign a seat in a later run`,
  );
}

/**
 * Assigns the seat, unless the lists show that the user has one: an ended run may have assigned it. If the response is
 * lost and no list reports, the state keeps the seat as not confirmed, and the next update assigns again.
 * @param mayHaveSeat whether a 409 ("already has a seat") counts as success
 */
async function assign(
  outs: SeatAssignmentOutputs,
  context: CallContext,
  mayHaveSeat: boolean,
): Promise<SeatAssignmentOutputs> {
  const { userId, sendEmail } = outs;
  if (await isListed(outs, context)) return outs;
  const unconfirmed = (error: ApiError) => {
    const lost = lostAnswer(error, context, userId);
    return new PartiallyCreated(userId, { ...outs, confirmed: false }, lost);
  };
  const creation: Creation<SeatAssignmentOutputs> = {
    async send() {
      const call = () => context.api(outs).assignSeat(userId, context.operation, { sendEmail });
      await onceKnown(outs, call, context);
      forgetWrite("seat removed", outs, context);
      return outs;
    },
    async decide(failure, lost) {
      if ((mayHaveSeat || lost) && isRefused(failure, 409)) return outs;
      throw withAdvice(failure, userId, context);
    },
    async look(lost) {
      const found = await seatAfter(outs, context);
      if (found === undefined) throw unconfirmed(lost);
      return found ? outs : undefined;
    },
    giveUp: unconfirmed,
  };
  return createOnce(creation, context);
}

/** Whether the user has the seat already, which this resource then manages. */
async function isListed(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  // The list of this run may be older than a removal of this run.
  const shown = context.can.canListUsers ? await sharedSeat(outs, context).catch(() => "no") : "no";
  if (shown !== "yes" || (await seatAfter(outs, context)) !== true) return false;
  context.info(
    `SeatAssignment of ${context.people.nameOf(outs.userId)}: the user already has a seat, which this resource now manages. Nothing was sent.`,
  );
  return true;
}

/** Whether a fresh list shows the seat; undefined if no list can tell. */
async function seatAfter(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean | undefined> {
  if (!context.can.canListUsers) return undefined;
  try {
    const status = showsSeat(await freshMembers(outs, context), outs, context);
    return status === "unknown" ? undefined : status === "yes";
  } catch {
    return undefined;
  }
}

function withAdvice(error: unknown, userId: string, context: CallContext): unknown {
  const who = context.people.nameOf(userId);
  if (isRefused(error, 402)) {
    return withNextStep(
      error,
      `No seat is available for ${who}, or the subscription has ended. Free a seat in a separate run, or buy one; then run \`pulumi up\` again, which resumes where it stopped.`,
      "no-seats",
    );
  }
  if (isRefused(error, 409)) {
    return withNextStep(
      error,
      `${who} already has a seat, and the service does not report who assigned it. If this SeatAssignment was renamed or moved in the program, use \`aliases\`. ${IF_FORCED} To adopt the seat, set \`adopt: true\` on this SeatAssignment of user id ${userId}.`,
      "seat-exists",
    );
  }
  if (isAbsent(error)) {
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
