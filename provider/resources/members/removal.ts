/** Removes seats and memberships, in the order that the service requires. */
import type { DeleteAnswer, Deleted } from "../../api/calls/organization.ts";
import type { CallContext, OrganizationAccess } from "../contexts.ts";
import { isRefused } from "../failures.ts";
import { growingPauses, settledRemoval } from "../pauses.ts";
import { isTokenShown } from "./absence.ts";
import { isStillListed, listTokens } from "./reads.ts";
import { noteWrite } from "./written.ts";

/** Whether removal retains the membership (or seat) in the service. */
export function isKept({ adopted, onDelete }: Kept): boolean {
  return onDelete === "retain" || (adopted === true && onDelete !== "delete");
}

/** Of outputs in whatever form. */
interface Kept {
  readonly adopted?: unknown;
  readonly onDelete?: unknown;
}

const WAIT_MS = 10_000;
const PAUSES = { firstMs: 50, longestMs: 1_000 };

interface OrderedRemoval {
  readonly type: "SeatAssignment" | "OrgUser";
  readonly owner: OrganizationAccess;
  readonly userId: string;
  readonly call: () => Promise<DeleteAnswer>;
}

/**
 * Runs a delete call, which the removal limit allows. A 409 can mean that the person still has a seat or token: Pulumi deletes resources with the same
 * user id in parallel, so this waits for them, 10 s at most, and never removes them itself.
 */
export async function removeInOrder(context: CallContext, removal: OrderedRemoval): Promise<Deleted> {
  const { type, userId, owner } = removal;
  const until = Math.min(context.time.elapsed() + WAIT_MS, context.time.operation.deadline);
  const pause = growingPauses(context, { ...PAUSES, until });
  for (;;) {
    try {
      const deleted = await settled(removal, context);
      const written = type === "OrgUser" ? "user removed" : "seat removed";
      noteWrite(written, { ...owner, userId }, context);
      return deleted;
    } catch (error) {
      if (!isRefused(error, 409) || !(await pause())) throw error;
    }
  }
}

/** The removal, settled by a list if the service has one. */
function settled({ type, owner, userId, call }: OrderedRemoval, context: CallContext): Promise<Deleted> {
  const who = context.people.nameOf(userId);
  const isSeat = type === "SeatAssignment";
  const expected = { userId, seat: isSeat ? { product: context.defaults.product } : undefined };
  const sought = {
    what: isSeat ? `the seat of ${who}` : who,
    isListed: (isLate: boolean) => isStillListed(expected, owner, isLate, context),
  };
  return settledRemoval(call, sought, context);
}

/** Revokes a token by its id. */
export async function revokeById(
  tokenId: string,
  owner: OrganizationAccess & { readonly userId: string },
  context: CallContext,
): Promise<Deleted> {
  const { userId } = owner;
  const sought = {
    what: `the token of ${context.people.nameOf(userId)}`,
    isListed: (isLate: boolean) =>
      isTokenShown(
        tokenId,
        () => listTokens(owner, context),
        () => isStillListed(owner, owner, isLate, context),
      ),
  };
  const revoke = () => context.service.api(owner).revokeToken(userId, context.time.operation, tokenId);
  return settledRemoval(revoke, sought, context);
}

/** The share of the people whom a run knows, and the number who always may. */
const SHARE = 0.2;
const ALWAYS = 3;
export const MOST_REMOVALS = 25;

/** @param people whom the run knows */
export function removalLimit(people: number): number {
  return Math.max(ALWAYS, Math.min(MOST_REMOVALS, Math.floor(people * SHARE)));
}

/** The rule in words: the share of whom, and its bounds. */
export const REMOVAL_SHARE = `${SHARE * 100}%`;
export const REMOVAL_BOUNDS = `at least ${ALWAYS}, at most ${MOST_REMOVALS}`;
