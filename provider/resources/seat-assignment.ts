/**
 * SeatAssignment: the seat of a user (assign seat, remove seat). Id: the user id. A changed user or organization replaces
 * it, deleting the old one first, so no spare seat is needed. Removal frees the seat; an adopted one is retained, unless
 * `onDelete` is `remove`.
 */
import { changedKeys, completeOrganization, unsupportedEmails } from "./changes.ts";
import { isAssignedAgain } from "./effects.ts";
import { organizationOf, requireLists } from "./imports.ts";
import { claimObject, isOwnedByAnother, newInstance, refuseContested } from "./ownership.ts";
import { isKept, removeInOrder } from "./removal.ts";
import type { ResourceDefinition } from "./resource.ts";
import { assign, hasSeatToAdopt, isAssigned, sharedSeat } from "./seat-calls.ts";
import {
  inputs,
  outputs,
  outsOf,
  type SeatAssignmentInputs,
  type SeatAssignmentOutputs,
} from "./seat-state.ts";
import { refuseAdminRemoval } from "./user-facts.ts";

const identity = ["userId", "organizationId"] as const;

export const seatAssignmentDefinition: ResourceDefinition<SeatAssignmentInputs, SeatAssignmentOutputs> = {
  name: "SeatAssignment",
  area: "organization",
  inputs,
  outputs,
  secretInputs: ["credentials"],
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
      "credentials",
    ]);
    return {
      changes: replaces.length + rest.length > 0 || isAssignedAgain(olds),
      replaces,
      deleteBeforeReplace: true,
    };
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
    if (!outs.confirmed) return (await sharedSeat(outs, context)) ? { ...outs, confirmed: true } : outs;
    return (await isAssigned(outs, context)) ? outs : undefined;
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
