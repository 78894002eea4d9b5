/**
 * SeatAssignment: the seat of a user (assign seat, remove seat), for programs that wire a person by hand. Its id is an own text
 * and never changes; the output `userId` names the user. A changed user is an update, which frees the old seat first. Removal
 * frees the seat; an adopted one is retained, unless `onDelete` is `delete`.
 */
import { z } from "zod";
import { idSchema, organizationIdSchema } from "../../api/schemas/schemas.ts";
import {
  completeOrganization,
  organizationOf,
  requireLists,
  unsupportedInputs,
} from "../../resources/changes.ts";
import type { CallContext } from "../../resources/contexts.ts";
import { presenceIn } from "../../resources/members/absence.ts";
import { findMember, sharedMembers } from "../../resources/members/reads.ts";
import { undecidedBy } from "../../resources/members/unreadable.ts";
import { wasWritten } from "../../resources/members/written.ts";
import { onDeleteSchema } from "../../resources/org-user/schema.ts";
import { refuseContested } from "../../resources/ownership.ts";
import { clientCredentialsSchema, commonOutputs, type ResourceDefinition } from "../../resources/resource.ts";
import { STATE_VERSION } from "../../resources/resource-types.ts";
import type { Knowable } from "../../resources/unknown.ts";
import { created, type Executed, execute, updated } from "../execute/execute.ts";
import { readMember } from "../execute/reading.ts";
import { type Held, type HeldUser, heldSchema, nothingHeld } from "../held.ts";
import { unread } from "../observe.ts";
import type { WantedMember } from "../wanted.ts";
import {
  accessOf,
  checkUser,
  diffPart,
  isOwnedByOther,
  newId,
  ownPart,
  refuseMove,
  removePart,
} from "./common.ts";
import { seatPlan, userOfPart } from "./plans.ts";

const inputs = {
  userId: idSchema,
  adopt: z.boolean().optional(),
  onDelete: onDeleteSchema.optional(),
  sendEmail: z.boolean().optional(),
  allowAdminRemoval: z.boolean().optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
const outputs = z.object({
  ...commonOutputs,
  userId: inputs.userId,
  organizationId: inputs.organizationId,
  credentials: inputs.credentials,
  adopted: z.boolean(),
  held: heldSchema,
});
const inputsSchema = z.object(inputs);
type Inputs = z.output<typeof inputsSchema>;
type Outputs = z.output<typeof outputs>;

export const seatAssignmentDefinition: ResourceDefinition<Inputs, Outputs> = {
  name: "SeatAssignment",
  area: "organization",
  inputs,
  outputs,
  stableOutputs: [],
  identity: ["organizationId"],
  complete: completeOrganization,
  check: (news, _olds, context) => [...unsupportedInputs(news, ["sendEmail"], context), ...checkUser(news)],

  diff(_id, olds, news, context) {
    const plan = () => seatPlan(unread(olds.held), wantedOf(news), context.now, context.can);
    return diffPart("SeatAssignment", olds, news, plan, context);
  },

  stableIn: (olds, news) => (news.userId === olds.userId ? ["adopted"] : []),

  async create(news, context) {
    refuseContested(context, news);
    const id = newId("seat");
    const user = await seatBefore(news, context);
    const stored = { ...nothingHeld(id), users: [user] };
    const executed = await run(stored, news, context);
    const outs = outsOf(news, executed);
    ownPart("SeatAssignment", executed.held, news.organizationId, context);
    const isHeld = executed.held.users.some(({ seat }) => seat !== "none");
    return created(id, outs, executed, isHeld);
  },

  async find(id, given, context) {
    const what = `the seat of user ${id}`;
    requireLists(context, what, `Declare a SeatAssignment with \`userId: "${id}"\` and \`adopt: true\``);
    const organizationId = organizationOf(given, context, what);
    const access = { organizationId, credentials: given.credentials };
    if ((await findMember({ ...access, userId: id }, context)) === "absent") return undefined;
    const user = await seatBefore({ ...access, userId: id, adopt: true }, context);
    if (user.seat === "none") return undefined;
    return outsOf({ ...access, userId: id }, { held: { ...nothingHeld(newId("seat")), users: [user] } });
  },

  inputsOf: ({ userId, organizationId, credentials }) => ({ userId, organizationId, credentials }),

  async read(_id, olds, context) {
    const held = await readMember({ held: olds.held, access: accessOf(olds), context });
    const user = held?.users.find(({ id }) => id === olds.userId);
    if (held === undefined || user === undefined || (user.seat === "none" && held.users.length === 1))
      return undefined;
    return outsOf(olds, { held });
  },

  async update(id, olds, news, context) {
    refuseContested(context, news);
    await refuseMove(olds, news, context);
    const executed = await run(olds.held, news, context);
    const outs = outsOf(news, executed);
    ownPart("SeatAssignment", executed.held, news.organizationId, context);
    return updated(id, outs, executed);
  },

  async delete(_id, olds, context) {
    const { held, userId } = olds;
    if (isOwnedByOther("SeatAssignment", held, olds, context)) return "kept";
    const ended = await removePart({ ...accessOf(olds), held, userId }, seatPlan, context);
    if (ended !== undefined) return ended;
    if (held.users.every(({ seat }) => seat === "none")) return "gone";
    context.diagnostics.warn(
      `SeatAssignment of ${context.people.nameOf(userId)} is retained: the seat stays assigned.`,
    );
    return "kept";
  },
};

function run(stored: Held, news: Inputs, context: CallContext): Promise<Executed> {
  return execute({ stored, wanted: wantedOf(news), access: accessOf(news), plan: seatPlan }, context);
}

function wantedOf({ userId, sendEmail, onDelete, allowAdminRemoval }: Knowable<Inputs>): WantedMember {
  return { userId, seat: true, sendSeatEmail: sendEmail, onDeleteSeat: onDelete, allowAdminRemoval };
}

/** The seat that the user has already: to adopt, or of an ended run. Without lists, only a repeat confirms one. */
async function seatBefore(
  { userId, adopt, ...access }: Pick<Inputs, "userId" | "adopt" | "organizationId" | "credentials">,
  context: CallContext,
): Promise<HeldUser> {
  const seatAdopted = adopt === true;
  const none = userOfPart(userId, { seat: "none" });
  if (wasWritten("seat removed", { ...access, userId }, context)) return none;
  const list = await sharedMembers(access, context);
  if (list === undefined)
    return userOfPart(userId, { seat: seatAdopted ? "unconfirmed" : "none", seatAdopted });
  const sought = { userId, seat: { product: context.defaults.product } };
  const presence = presenceIn(list, sought);
  if (presence === "unknown" && seatAdopted)
    throw undecidedBy(list, sought, `the seat of ${context.people.nameOf(userId)}`);
  if (presence !== "listed") return none;
  if (!seatAdopted)
    context.diagnostics.info(
      `SeatAssignment of ${context.people.nameOf(userId)}: the user already has a seat, which this resource now manages. Nothing was sent.`,
    );
  return userOfPart(userId, { seat: "held", seatAdopted });
}

function outsOf(
  news: Pick<Inputs, "userId" | "organizationId" | "credentials">,
  { held }: Pick<Executed, "held">,
): Outputs {
  const [user] = held.users;
  const userId = user?.id ?? news.userId;
  return {
    stateVersion: STATE_VERSION,
    userId,
    ...accessOf(news),
    adopted: user?.seatAdopted === true,
    held,
  };
}
