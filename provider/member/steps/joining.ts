/** A user whom the member does not hold yet: adding one, adopting one, and creations without an answer. Pure. */

import { roleOf } from "../../resources/members/member-list.ts";
import { formatInstant } from "../../util/instants.ts";
import { type HeldToken, type HeldUser, markOf } from "../held.ts";
import { candidatesOf, isLike, listedNames, ownUser } from "../observe.ts";
import { joined, NEW_USER, note, type Obstacle, type Plan, send, unit } from "../step.ts";
import type { Missing, SeenUser, WantedToken } from "../wanted.ts";
import { adoptedToken, fittingIn, liveIn, type Situation } from "./issuing.ts";
import type { SettledMember } from "./settings.ts";

/** The user whom the member is to have, and what makes it so. */
export interface Found {
  readonly user: HeldUser;
  readonly start: Plan;
}

export type Marks = Pick<HeldUser, "address" | "purpose" | "lastName">;

/** A person is an address, a machine user its names. */
export function marksOf({ observed, wanted }: Situation): Marks {
  const { ref } = observed.held;
  if (wanted.email !== undefined) return { address: markOf(ref, wanted.email) };
  return {
    purpose: markOf(ref, wanted.purpose ?? ""),
    ...(wanted.lastName !== undefined && { lastName: markOf(ref, wanted.lastName) }),
  };
}

export function isSame(one: Marks, other: Marks): boolean {
  return one.address === other.address && one.purpose === other.purpose && one.lastName === other.lastName;
}

export function newUser(situation: Situation, marks: Marks): Found | Plan {
  const { observed, wanted, can } = situation;
  const { held, seen } = observed;
  if (wanted.userId !== undefined) return adopted(wanted.userId, situation, marks);
  if (held.pending !== undefined && !isMissing(wanted, "creation", held.pending.since))
    return afterPending(situation, marks);
  if (wanted.directory === true) return joined({ waits: [{ code: "user-gone", reason: "notInDirectory" }] });
  // Other machine users can have the same names.
  const listed = seen.users?.find(
    (user) =>
      (wanted.email !== undefined || (wanted.purpose !== undefined && user.isOurs === true)) &&
      isLike(held.ref, marks, user) &&
      held.left?.includes(user.id) !== true,
  );
  if (listed?.isOurs === true) return taken(listed, situation, marks);
  if (listed !== undefined)
    return joined({ refused: [{ code: "user-exists", reason: "userExists", names: [listed.id] }] });
  return added(situation, marks, can.canListUsers && seen.users === undefined);
}

/** Whether someone has decided about this request. */
function isMissing({ missing }: SettledMember, of: Missing["of"], since: string | undefined): boolean {
  return missing?.of === of && missing.since === since;
}

function virtual(marks: Marks, hasOthers: boolean): HeldUser {
  const base = { id: NEW_USER, adopted: false, seat: "none", seatAdopted: false, tokens: [] } as const;
  return { ...base, ...marks, ...(hasOthers && { coming: true as const }) };
}

function added({ observed, wanted }: Situation, marks: Marks, isUnread: boolean, isAgain = false): Found {
  const { held } = observed;
  const isGone = (held.left ?? []).length > 0;
  const cause =
    held.users.length > 0 ? "address" : held.pending ? "missing" : isGone ? "goneInService" : "new";
  const isLast = !wanted.seat && held.users.length > 0;
  const target = {
    ...marks,
    ...(isLast && { promotes: true as const }),
    ...(isAgain && { isAgain: true as const }),
  };
  const step = send("add user", cause, {
    target,
    ...(isUnread && { onlyIf: ["notListed"] as const }),
  });
  return { user: virtual(marks, held.users.length > 0), start: joined({ units: unit(step) }) };
}

/** A person is requested once more: a refusal then shows that the person exists. Everything else waits for a decision. */
function afterPending(situation: Situation, marks: Marks): Found | Plan {
  const { observed, can } = situation;
  const { held, seen } = observed;
  const { pending } = held;
  if (pending === undefined) return joined();
  const { since } = pending;
  const wait = (reason: Obstacle["reason"], names: readonly string[] = []): Plan => {
    const code = pending.address !== undefined ? "user-unknown" : "machine-user-undecided";
    return joined({ waits: [{ code: names.length > 0 ? "ambiguous" : code, reason, since, names }] });
  };
  if (!isSame(pending, marks)) return wait("pendingOther");
  const names = candidatesOf(held, pending, seen).map(({ id }) => id);
  if (names.length > 0) return wait("userAmbiguous", names);
  const isPerson = pending.address !== undefined;
  const isUnread = can.canListUsers && seen.users === undefined;
  if (isUnread || !isPerson || pending.again === true) return wait("userUndecided");
  return added(situation, marks, false, true);
}

/** A user whose removal got no answer, and who is wanted again: nothing but a list or a decision says who is there. */
export function perhapsRemoved(user: HeldUser, { wanted }: Situation): Found | Plan {
  const change = { what: "user", from: user.id, to: undefined };
  if (wanted.userId === user.id) {
    const { asked: _, ...kept } = user;
    const effect = { do: "user", user: user.id, patch: { asked: undefined } } as const;
    return { user: kept, start: joined({ units: unit(note("adopted", effect, [change])) }) };
  }
  if (!isMissing(wanted, "removal", user.asked?.at))
    return joined({
      waits: [
        { code: "user-unknown", reason: "removalUndecided", names: [user.id], since: user.asked?.at ?? "" },
      ],
    });
  // The next plan adds the user.
  return joined({ units: unit(note("missing", { do: "forget", user: user.id, isGone: true }, [change])) });
}

/** A user whom an interrupted creation of this member made. */
function taken(listed: SeenUser, { now, observed }: Situation, marks: Marks): Found {
  const coming = observed.held.users.length > 0 ? ({ coming: true } as const) : {};
  const since = formatInstant(now);
  const user = { ...ownUser(observed.held.ref, listed, { ...marks, since }), ...coming };
  const change = { what: "user", from: undefined, to: user.id };
  return { user, start: joined({ units: unit(note("missing", { do: "adopt", user }, [change])) }) };
}

function adopted(id: string, situation: Situation, marks: Marks): Found | Plan {
  const { now, observed, wanted, can } = situation;
  const { held, seen } = observed;
  const refuse = (reason: Obstacle["reason"], ...more: string[]): Plan =>
    joined({ refused: [{ code: "cannot-adopt", reason, names: [id, ...more] }] });
  if (held.left?.includes(id) === true) return refuse("adoptsGone");
  const listed = seen.users?.find((user) => user.id === id);
  if (seen.users !== undefined && seen.isHiding !== true && listed === undefined)
    return refuse("adoptsMissing");
  const isAnother = wanted.email !== undefined && listed !== undefined && !isLike(held.ref, marks, listed);
  if (isAnother) return refuse("adoptsAnother", ...(listed.email ? [listed.email] : []));
  const tokens = listed === undefined ? [] : adoptedTokens(listed, wanted.token, situation);
  if (!Array.isArray(tokens)) return joined({ refused: [tokens] });
  const names = listed && listedNames(held.ref, listed);
  const user: HeldUser = {
    ...{ id, since: formatInstant(now) },
    ...marks,
    ...(held.users.length > 0 && { coming: true as const }),
    ...(names && { listed: names }),
    ...(listed && { role: roleOf(listed) }),
    adopted: true,
    ...adoptedSeat(listed, situation),
    tokens,
  };
  const isUnread = can.canListUsers && listed === undefined;
  const change = { what: "user", from: undefined, to: id };
  const step = note("adopted", { do: "adopt", user }, [change]);
  return {
    user,
    start: joined({ units: unit({ ...step, ...(isUnread && { onlyIf: ["listed"] as const }) }) }),
  };
}

/** A seat that was there before counts as adopted. Without a list, "assign seat" confirms it, or the administrator has said so. */
function adoptedSeat(
  listed: SeenUser | undefined,
  { wanted, can }: Situation,
): Pick<HeldUser, "seat" | "seatAdopted"> {
  if (listed !== undefined)
    return {
      seat: listed.hasSeat !== true ? "none" : wanted.seat ? "held" : "left",
      seatAdopted: listed.hasSeat === true,
    };
  if (can.canListUsers || !wanted.seat) return { seat: "none", seatAdopted: false };
  return { seat: wanted.trustsSeat ? "held" : "unconfirmed", seatAdopted: true };
}

/** The token to adopt, if the member wants one adopted. */
function adoptedTokens(
  { id, tokens = [] }: SeenUser,
  token: WantedToken | undefined,
  { now }: Situation,
): HeldToken[] | Obstacle {
  const { adopt } = token ?? {};
  if (token === undefined || adopt === undefined || adopt === false) return [];
  const fitting = fittingIn(tokens, adopt);
  const names = [id, ...liveIn(tokens).map((one) => one.id)];
  if (fitting.length > 1) return { code: "ambiguous", reason: "tokenAmbiguous", names };
  const [found] = fitting;
  if (found === undefined)
    return adopt === true ? [] : { code: "cannot-adopt", reason: "tokenMissing", names };
  return [adoptedToken(found, token, now)];
}
