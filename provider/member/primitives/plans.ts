/**
 * What a user, a seat, or a token needs that a program wires by hand: the steps of a member, for a part of one. `held` has the
 * user and this part alone; every other part is not this resource's. Pure.
 */
import { type Held, type HeldUser, REVOCATION } from "../held.ts";
import { isObserved, type Observed } from "../observe.ts";
import { joined, note, type Plan, revoke, type Step, send, type Unit, unit } from "../step.ts";
import { isSeatKept, removalOf, seatStep } from "../steps/leaving.ts";
import { possibleUnits, type SettledMember, standIn, withSettings } from "../steps/settings.ts";
import { stepsOf } from "../steps/steps-of.ts";
import { tokenPlan } from "../steps/tokens.ts";
import type { Can, Wanted, WantedMember } from "../wanted.ts";

/** The user of a part, as the part knows the user. */
export function userOfPart(id: string, more: Partial<HeldUser> = {}): HeldUser {
  return { id, adopted: true, seat: "left", seatAdopted: false, tokens: [], ...more };
}

type PartPlan = (observed: Observed, wanted: Wanted, now: number, can: Can) => Plan;

/** A listed seat is not the user's, and a user of whom the log knows no token need not be from an interrupted run. */
export const userPlan: PartPlan = (observed, wanted, now, can) => {
  const { held, seen } = observed;
  if (wanted.leaving)
    return joined({
      units: held.users.flatMap(({ id }) => unit(send("remove user", "leaving", { user: id }))),
    });
  // Names prove nothing, so the addition of a machine user needs no list.
  const isNamed = wanted.email === undefined && wanted.userId === undefined;
  const users = isNamed ? [] : seen.users?.map(({ hasSeat: _seat, isOurs: _ours, ...user }) => user);
  return stepsOf({ ...observed, seen: { ...seen, users } }, wanted, now, can);
};

/** A seat whose user changes frees the old one before it takes the new one: no spare seat is needed. */
export const seatPlan: PartPlan = (observed, wanted, _now, can) => {
  const { held } = observed;
  const removal = removalOf(observed, wanted, can, wanted.leaving ? "leaving" : "address");
  if (wanted.leaving)
    return joined({
      units: held.users.flatMap((user) => {
        if (isSeatKept(user, removal, false)) return forgotten(user, true);
        const taken = user.seat === "none" ? [] : [seatStep(user, "leaving")];
        return unit(...taken, ...forgotten(user).flatMap(({ steps }) => steps));
      }),
    });
  const settled = standIn(held, wanted);
  const [current] = held.users;
  const { user, others, start } = usersOf(held, settled, { seat: "none" });
  const isDue = user.seat === "none" || user.seat === "unconfirmed" || user.seat === "unknown";
  const cause = user.seat === "none" ? (current?.id === user.id ? "missing" : "new") : "unconfirmed";
  const assign = send("assign seat", cause, {
    ...{ user: user.id, seats: user.seat === "none" ? 1 : 0, emails: settled.sendSeatEmail === true ? 1 : 0 },
    ...(others.length > 0 && { target: { promotes: true } }),
  });
  const donors = isDue ? others.filter((one) => one.seat !== "none" && !isSeatKept(one, removal, false)) : [];
  const taken = donors.flatMap((one) => [...tokensOf(one, can), seatStep(one, "address")]);
  const given = isDue ? unit(...taken, assign) : promoted(user, held);
  const left = others.flatMap((one) => forgotten(one, !donors.includes(one)));
  return planWith(observed, wanted, settled, joined({ units: [...start, ...given, ...left] }));
};

/** A token whose user changes is issued first: what the old user has ends after it. */
export const tokenPartPlan: PartPlan = (observed, wanted, now, can) => {
  const { held } = observed;
  if (wanted.leaving)
    return joined({
      units: held.users.flatMap((user) => [...revoked(user, "leaving"), ...forgotten(user, true)]),
    });
  const settled = standIn(held, wanted);
  const { user, others, start } = usersOf(held, settled, { seat: "left" });
  const token = settled.token ?? {};
  const plan = tokenPlan(user, token, { observed, wanted: settled, now, can });
  const isMoved = others.length > 0 && plan.refused.length + plan.waits.length === 0;
  const isIssued = plan.units.some(({ steps }) => steps.some(({ call }) => call === "issue token"));
  const left = isMoved
    ? [
        ...(isIssued ? [] : promoted(user, held)),
        ...others.flatMap((one) => [...revoked(one, "address"), ...forgotten(one, true)]),
      ]
    : [];
  const moved = isMoved ? joined({ units: start }, plan, { units: left }) : plan;
  return planWith(observed, wanted, settled, moved);
};

/** The wanted user, and those who still have something of this part. */
function usersOf(held: Held, { userId }: SettledMember, part: Pick<HeldUser, "seat">) {
  const [current] = held.users;
  const id = userId ?? current?.id ?? "new";
  const found = held.users.find((one) => one.id === id);
  const others = held.users.filter((one) => one.id !== id);
  if (found !== undefined) return { user: found, others, start: [] };
  const coming = others.length > 0 ? ({ coming: true } as const) : {};
  const user = userOfPart(id, { ...part, ...coming });
  const change = { what: "user", from: current?.id, to: id };
  return { user, others, start: unit(note("address", { do: "adopt", user }, [change])) };
}

function tokensOf(user: HeldUser, can: Can): Step[] {
  return can.canListTokens
    ? [send("revoke token", "address", { user: user.id, onlyIf: ["eachOther"] })]
    : [send("revoke token", "address", { user: user.id })];
}

function revoked(user: HeldUser, cause: "leaving" | "address"): Unit[] {
  const open = user.tokens.filter(({ asked }) => asked?.what !== REVOCATION);
  return [...open, ...user.tokens.filter((one) => !open.includes(one))].flatMap((one) =>
    unit(revoke(user, one, cause)),
  );
}

function forgotten(user: HeldUser, isSeatKept = false): Unit[] {
  const effect = { do: "forget", user: user.id, ...(isSeatKept && { isSeatKept: true as const }) } as const;
  return unit(note("leaving", effect, [{ what: "user", from: user.id, to: undefined }]));
}

function promoted(user: HeldUser, { users: [current] }: Held): Unit[] {
  if (current === undefined || current.id === user.id) return [];
  return unit(
    note("address", { do: "promote", user: user.id }, [{ what: "user", from: current.id, to: user.id }]),
  );
}

function planWith(observed: Observed, wanted: WantedMember, settled: SettledMember, plan: Plan): Plan {
  const { held, stored } = observed;
  const seen = isObserved(observed)
    ? unit(
        note("observed", { do: "observe", held }, [{ what: "observed", from: stored.users, to: held.users }]),
      )
    : [];
  return joined({ units: seen }, withSettings(held, settled, plan), { units: possibleUnits(held, wanted) });
}
