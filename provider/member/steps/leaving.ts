/** How a user leaves: revoke each token, remove the seat, remove the user. Pure. */
import { isPrivileged } from "../../resources/members/member-list.ts";
import { isKept } from "../../resources/members/removal.ts";
import { known } from "../../resources/unknown.ts";
import type { Agreed, HeldUser } from "../held.ts";
import { candidatesOf, type Observed, roleIn } from "../observe.ts";
import {
  type Cause,
  joined,
  note,
  type Obstacle,
  type Plan,
  revoke,
  type Step,
  send,
  type Unit,
  unit,
} from "../step.ts";
import type { Can, Wanted } from "../wanted.ts";

/** What removal does to a user of a member. */
export interface Removal {
  readonly agreed: Agreed;
  readonly can: Can;
  readonly cause: Cause;
  /** Removes what would be retained, too. */
  readonly isForced?: boolean;
  /** Takes the tokens alone. */
  readonly isRetained?: boolean;
  /** Whether the program or roster allows the removal of an administrator. */
  readonly isAdminAllowed: boolean;
  /** Whether a list has shown the role just now: someone can have promoted the user since the state was written. */
  readonly isRoleRead: boolean;
}

export function removalOf(
  { held: { agreed }, seen }: Pick<Observed, "held" | "seen">,
  wanted: Wanted,
  can: Can,
  cause: Cause,
): Removal {
  const isAllowed = !wanted.leaving && known(wanted.allowAdminRemoval) === true;
  const removal = wanted.leaving ? wanted.removal : undefined;
  return {
    // Whoever leaves with the change to a directory stays a member, too.
    agreed: wanted.directory === true ? { ...agreed, directory: true } : agreed,
    ...{ can, cause },
    isForced: removal === "delete",
    isRetained: removal === "retain",
    isAdminAllowed: agreed.allowAdminRemoval === true || isAllowed,
    isRoleRead: seen.users !== undefined,
  };
}

/** Whether the membership stays in the service. */
export function isUserKept({ adopted }: HeldUser, { agreed, isForced, isRetained }: Removal): boolean {
  if (agreed.directory === true || isRetained === true) return true;
  return isForced !== true && isKept({ adopted, onDelete: agreed.onDelete?.user });
}

/** Whether the seat stays. With a removed user it never does: the service requires its removal before. */
export function isSeatKept(user: HeldUser, removal: Removal, isUserLeaving: boolean): boolean {
  const { agreed, isForced, isRetained } = removal;
  if (isRetained === true) return true;
  if (isForced === true || (isUserLeaving && !isUserKept(user, removal))) return false;
  if (user.seat === "left") return true;
  if (isUserLeaving && agreed.directory === true) return false;
  return isKept({ adopted: user.seatAdopted, onDelete: agreed.onDelete?.seat });
}

/** Whether "remove seat" is due when the user leaves. */
export function freesSeat(user: HeldUser, removal: Removal): boolean {
  return user.seat !== "none" && !isSeatKept(user, removal, true);
}

export function seatStep(user: HeldUser, cause: Cause, more: Partial<Pick<Step, "onlyIf">> = {}): Step {
  return send("remove seat", cause, { user: user.id, seats: -1, ...more });
}

/** Whether a removed user may have what no list shows. */
function isUnread(user: HeldUser, removal: Removal): boolean {
  return user.adopted && !removal.can.canListUsers && !isUserKept(user, removal);
}

/** Why nothing of a removal may be sent: before anything is taken. */
export function refusedRole(user: HeldUser, removal: Removal): Obstacle | undefined {
  if (isUserKept(user, removal) || removal.isAdminAllowed || !isPrivileged(user.role)) return undefined;
  return { code: "administrator-removal", reason: "role", names: [user.id, user.role] };
}

/** The removal of one user, without its refusal. @param isTaken whether an earlier unit takes tokens and seat */
export function removalUnits(user: HeldUser, removal: Removal, isTaken = false): Unit[] {
  const { cause } = removal;
  const isKeptUser = isUserKept(user, removal);
  const tokens = isTaken ? [] : user.tokens.flatMap((token) => unit(revoke(user, token, cause)));
  const others = isTaken ? [] : otherTokens(user, removal).flatMap((step) => unit(step));
  const isSeatDue = freesSeat(user, removal) || (isUnread(user, removal) && user.seat === "none");
  const seat = !isTaken && isSeatDue ? unit(seatStep(user, cause)) : [];
  const end = isKeptUser
    ? unit(
        note(
          cause,
          { do: "forget", user: user.id, ...(freesSeat(user, removal) ? {} : { isSeatKept: true as const }) },
          [{ what: "user", from: user.id, to: undefined }],
        ),
      )
    : unit(send("remove user", cause, { user: user.id }));
  return guarded([...tokens, ...others, ...seat, ...end], user, removal);
}

/**
 * The service removes no user who has a token, whoever issued it. Of a retained one only the own tokens matter. Without a list,
 * nothing shows what an adopted user has.
 */
export function otherTokens(user: HeldUser, removal: Removal): Step[] {
  const { can, cause, agreed } = removal;
  if (isUnread(user, removal) && user.tokens.length === 0)
    return [send("revoke token", cause, { user: user.id })];
  if (!can.canListTokens || (isUserKept(user, removal) && agreed.directory !== true)) return [];
  return [send("revoke token", cause, { user: user.id, onlyIf: ["eachOther"] })];
}

/** The role decides before anything is taken: unless a list has just shown it, it is read before the first call. */
export function guarded(units: readonly Unit[], user: HeldUser, removal: Removal): Unit[] {
  const isCheck = !isUserKept(user, removal) && !removal.isAdminAllowed && removal.can.canListUsers;
  const [first, ...rest] = units;
  const [step, ...steps] = first?.steps ?? [];
  if (!isCheck || removal.isRoleRead || step?.call === undefined) return [...units];
  return [{ steps: [{ ...step, onlyIf: [...(step.onlyIf ?? []), "isMember"] }, ...steps] }, ...rest];
}

/** A member that must hold nothing: its row or resource is gone, or its access has ended. */
export function leavingPlan(observed: Observed, wanted: Wanted, can: Can): Plan {
  const { held } = observed;
  const removal = removalOf(observed, wanted, can, wanted.leaving ? "leaving" : "accessEnded");
  const refused = held.users.flatMap(
    (user) => refusedRole({ ...user, role: roleIn(user, observed.seen) }, removal) ?? [],
  );
  if (refused.length > 0) return joined({ refused });
  const leaves =
    wanted.leaving && held.agreed.leaving !== true
      ? unit(
          note("leaving", { do: "agree", agreed: { ...held.agreed, leaving: true } }, [
            { what: "leaving", from: undefined, to: true },
          ]),
        )
      : [];
  const removed = held.users.toReversed().flatMap((user) => removalUnits(user, removal));
  return joined({ units: [...removed] }, pendingLeaves(observed, removal), { units: leaves });
}

/** A creation without an answer: a list settles it, and nothing else can. */
function pendingLeaves({ held, seen }: Observed, { can, cause }: Removal): Partial<Plan> {
  const { pending } = held;
  if (pending === undefined) return {};
  const since = pending.since;
  if (can.canListUsers && (seen.users === undefined || seen.isHiding === true))
    return { waits: [{ code: "machine-user-undecided", reason: "userUndecided", since }] };
  const names = candidatesOf(held, pending, seen).map(({ id }) => id);
  if (names.length > 0) return { waits: [{ code: "ambiguous", reason: "userAmbiguous", since, names }] };
  const change = { what: "pending", from: since, to: undefined };
  return {
    units: unit(note(cause, { do: "pending", pending: undefined }, [change])),
    notes: [{ kind: "pendingForgotten", names: [since] }],
  };
}
