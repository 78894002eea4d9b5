/** Finds and assigns seats: by the list of users, where the service has one, and by "assign seat". */
import type { ApiError } from "../api/errors.ts";
import {
  isRefused,
  MOST_ATTEMPTS,
  mayHaveSucceeded,
  RETRY_PAUSE_MS,
  userIsGone,
  withNextStep,
} from "./failures.ts";
import { hasSeat, type MemberList } from "./member-list.ts";
import { findMember, freshMembers, holdsSeat, sharedMembers } from "./presence.ts";
import { type CallContext, PartiallyCreated } from "./resource.ts";
import type { SeatAssignmentOutputs } from "./seat-state.ts";

/** Whether the user exists and has a seat, both confirmed. */
export async function isAssigned(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  return (await findMember(outs, context)) !== undefined && (await holdsSeat(outs, context));
}

/** Whether the list of this run shows the seat. */
export async function sharedSeat(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  return showsSeat(await sharedMembers(outs, context), outs, context);
}

function showsSeat(list: MemberList, { userId }: SeatAssignmentOutputs, { defaults }: CallContext): boolean {
  const member = list.byId.get(userId);
  return member !== undefined && hasSeat(member, defaults.product);
}

/**
 * Whether there is a seat to adopt. Without lists an adopt-only run must trust the program: no call reads a seat, and
 * "assign seat" would assign a missing one.
 */
export async function hasSeatToAdopt(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  if (!context.can.canListUsers) return context.adoptOnly;
  if (await sharedSeat(outs, context)) return true;
  if (!context.adoptOnly) return false;
  throw new Error(
    `cannot adopt the seat of ${context.people.nameOf(outs.userId)}: the list of users shows none. Remove the SeatAssignment, or assign a seat in a later run`,
  );
}

/**
 * Assigns the seat, unless the lists show that the user has one: an ended run may have assigned it. Where the response is
 * lost and no list tells, the state keeps the seat as not confirmed, and the next update assigns again.
 * @param mayHaveSeat whether a 409 ("has a seat already") counts as success
 */
export async function assign(
  outs: SeatAssignmentOutputs,
  context: CallContext,
  mayHaveSeat: boolean,
  round = 1,
): Promise<SeatAssignmentOutputs> {
  const { userId, sendEmail } = outs;
  if (round === 1 && (await isListed(outs, context))) return outs;
  try {
    await context.api(outs).assignSeat(userId, context.operation, { sendEmail });
    return outs;
  } catch (error) {
    if (mayHaveSeat && isRefused(error, 409)) return outs;
    if (!mayHaveSucceeded(error)) throw withAdvice(error, userId, context);
    const found = await seatAfter(outs, context);
    if (found === true) return outs;
    if (found === false && round < MOST_ATTEMPTS) {
      await context.sleep(RETRY_PAUSE_MS);
      return assign(outs, context, true, round + 1);
    }
    const lost = lostAnswer(error, context, userId);
    throw new PartiallyCreated(userId, { ...outs, confirmed: false }, lost.message, lost);
  }
}

/** Whether the user has the seat already, which this resource then manages. */
async function isListed(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean> {
  // The list of this run may be older than a removal of this run.
  const isShown = context.can.canListUsers && (await sharedSeat(outs, context).catch(() => false));
  if (!isShown || (await seatAfter(outs, context)) !== true) return false;
  context.info(
    `SeatAssignment of ${context.people.nameOf(outs.userId)}: the user has a seat already, which this resource manages from now on. Nothing was sent.`,
  );
  return true;
}

/** Whether a fresh list shows the seat; undefined where no list can be read. */
async function seatAfter(outs: SeatAssignmentOutputs, context: CallContext): Promise<boolean | undefined> {
  if (!context.can.canListUsers) return undefined;
  try {
    return showsSeat(await freshMembers(outs, context), outs, context);
  } catch {
    return undefined;
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
