/**
 * Reads the users of an organization, if the platform lists them: one list for all resources of a run, and a second one
 * to confirm what the first lacks. Undefined: the platform has no such list. What the answers prove, absence.ts decides; a failed or suspicious list is an error.
 */

import type { ListedToken, ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import type { CallContext, OrganizationAccess } from "../contexts.ts";
import { sharedList } from "../shared-list.ts";
import { confirmedBy, type Expected, lacks, presenceIn, provesNoUser, suspicionOf } from "./absence.ts";
import { indexMembers, type MemberList } from "./member-list.ts";
import { CONTRADICTION, requireRights, witnessIn } from "./rights.ts";
import { undecidedBy } from "./unreadable.ts";
import { onceKnown } from "./written.ts";

/** One list of users for all resources of a run, or a separate one, read now. @throws Error if the list is suspicious */
export const { once: sharedMembers, now: freshMembers } = sharedList(
  ({ organizationId }: OrganizationAccess) => membersKey(organizationId),
  async (access, context): Promise<MemberList | undefined> => {
    const listed = await context.service.api(access).listUsers(context.time.operation);
    if (listed === undefined) return undefined;
    const list = indexMembers(listed);
    const suspicion = suspicionOf(list);
    if (suspicion === undefined) return list;
    throw new CodedError(
      "incomplete-list",
      `cannot use the list of users of organization ${access.organizationId}: ${suspicion}. ${NEXT_STEP}`,
    );
  },
);

interface Sought extends OrganizationAccess {
  readonly userId: string;
}

/** A listed user, or what the service says instead. `absent`: it confirms that there is none. */
export type Found = ListedUser | "absent" | "not listed";

/**
 * A user by id.
 * @throws Error if its answers contradict each other, or more people are missing than the removal limit allows
 */
export async function findMember(sought: Sought, context: CallContext): Promise<Found> {
  const { userId, organizationId } = sought;
  const list = await listWith({ userId }, sought, context);
  if (list === undefined) return "not listed";
  const member = list.byId.get(userId);
  if (member !== undefined) return member;
  const who = context.people.nameOf(userId);
  if (presenceIn(list, { userId }) === "unknown") throw undecidedBy(list, { userId }, who);
  await context.guards.countMissingUser(sought, list.users);
  await requireRightsOnce(list, sought, context);
  await context.run.readOnce(`absence of ${organizationId}/${userId}`, () =>
    requireNoTokens(sought, context),
  );
  return "absent";
}

/**
 * Once in a run.
 * @throws Error if the service account has no rights, so that no list shows that anyone is gone
 */
export async function requireRightsOnce(
  { users }: MemberList,
  access: OrganizationAccess,
  context: CallContext,
  stays?: Parameters<typeof witnessIn>[1],
): Promise<void> {
  const { organizationId } = access;
  const witness = witnessIn(users, stays);
  if (witness === undefined) return;
  const ask = (user: ListedUser) =>
    requireRights(organizationId, user, (id) =>
      context.service.api(access).listTokens(id, context.time.operation),
    );
  await context.run.readOnce(`rights in ${organizationId}`, async () => {
    try {
      await ask(witness);
    } catch (error) {
      // Somebody else may have removed this user since the list was read.
      const now = await freshMembers(access, context);
      const other = now === undefined || now.byId.has(witness.id) ? undefined : witnessIn(now.users, stays);
      if (other === undefined) throw error;
      await ask(other);
    }
  });
}

/** The tokens of a user, read now. */
export function listTokens(
  sought: Sought,
  context: CallContext,
): Promise<readonly ListedToken[] | undefined> {
  const { userId, ...access } = sought;
  const list = () => context.service.api(access).listTokens(userId, context.time.operation);
  return onceKnown(sought, list, context);
}

/** Whether a user has a seat, confirmed like the absence of a user. The user is a member. */
export async function holdsSeat(sought: Sought, context: CallContext): Promise<boolean | undefined> {
  const { userId, organizationId } = sought;
  const seat = { userId, seat: { product: context.defaults.product } };
  const list = await listWith(seat, sought, context);
  if (list === undefined) return undefined;
  const presence = presenceIn(list, seat);
  if (presence === "unknown") throw undecidedBy(list, seat, `the seat of ${context.people.nameOf(userId)}`);
  if (presence === "listed") return true;
  context.guards.countMissing({ type: "SeatAssignment", userId, organizationId });
  return false;
}

/**
 * Whether a list of this run shows a user, or the user's seat, although the service answers that there is none. The
 * shared list can be older than a removal.
 */
export async function isStillListed(
  expected: Expected,
  access: OrganizationAccess,
  isLate: boolean,
  context: CallContext,
): Promise<boolean | undefined> {
  const shared = await sharedMembers(access, context);
  if (shared === undefined) return undefined;
  const now = async (): Promise<MemberList> => (await freshMembers(access, context)) ?? shared;
  const key = `${membersKey(access.organizationId)} after a removal`;
  const list = lacks(shared, expected) ? shared : await (isLate ? now() : context.run.readOnce(key, now));
  const presence = presenceIn(list, expected);
  const name = context.people.nameOf(expected.userId);
  if (presence === "unknown") throw undecidedBy(list, expected, expected.seat ? `the seat of ${name}` : name);
  if (presence === "listed") return true;
  if (lacks(list, { userId: expected.userId })) {
    const { organizationId } = access;
    const stays = ({ id: userId }: ListedUser) => !context.guards.removesUser({ userId, organizationId });
    await requireRightsOnce(list, access, context, stays);
  }
  return false;
}

/** The list of this run; if it lacks what is expected, together with a second one, which the run reads once. */
async function listWith(
  expected: Expected,
  access: OrganizationAccess,
  context: CallContext,
): Promise<MemberList | undefined> {
  const first = await sharedMembers(access, context);
  if (first === undefined || !lacks(first, expected)) return first;
  return context.run.readOnce(`confirmed ${membersKey(access.organizationId)}`, async () =>
    confirmedBy(first, (await freshMembers(access, context)) ?? first),
  );
}

/** @throws Error if the service lists tokens of a user whom its lists lack */
async function requireNoTokens(sought: Sought, context: CallContext): Promise<void> {
  const { userId } = sought;
  try {
    await context.service.api(sought).listTokens(userId, context.time.operation);
  } catch (error) {
    if (provesNoUser(error)) return;
    throw error;
  }
  throw new CodedError(
    "incomplete-list",
    `cannot tell whether ${context.people.nameOf(userId)} is a member: ${CONTRADICTION}. ${NEXT_STEP}`,
  );
}

const NEXT_STEP = `The state stays as it is. Check orgseat:organizationId and the rights of the service account, ${THEN_RUN_AGAIN}`;

function membersKey(organizationId: string): string {
  return `users of ${organizationId}`;
}
