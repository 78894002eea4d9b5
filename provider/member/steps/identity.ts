/** Who the member is, and the seat: joining, adopting, and changing the address. Pure. */
import type { HeldUser } from "../held.ts";
import { isLike, roleIn } from "../observe.ts";
import { joined, NEW_USER, note, type Plan, revoke, type Step, send, type Unit, unit } from "../step.ts";
import type { Situation } from "./issuing.ts";
import { type Found, isSame, type Marks, marksOf, newUser, perhapsRemoved } from "./joining.ts";
import {
  freesSeat,
  guarded,
  isSeatKept,
  otherTokens,
  type Removal,
  refusedRole,
  removalOf,
  removalUnits,
  seatStep,
} from "./leaving.ts";
import { tokenPlan } from "./tokens.ts";

export function planIdentity(situation: Situation): Plan {
  const { observed, wanted, can } = situation;
  const { held } = observed;
  const found = userOf(situation);
  const stuck = (plan: Plan): Plan => (held.users.length > 0 ? { ...plan, isChangeOpen: true } : plan);
  if (!("user" in found)) return stuck(found);
  const { user, start } = found;
  const others = held.users.filter(({ id }) => id !== user.id);
  const removal = removalOf(observed, wanted, can, "address");
  const refused = others.flatMap(
    (other) => refusedRole({ ...other, role: roleIn(other, observed.seen) }, removal) ?? [],
  );
  if (refused.length > 0) return stuck(joined({ refused }));
  const given = givenTo(user, others, removal, situation);
  // What the new user needs is checked before anything is taken or added.
  if (others.length > 0 && given.plan.refused.length > 0) return stuck({ ...given.plan, units: [] });
  const left = others.flatMap((other) => removalUnits(other, removal, other === given.donor));
  const change = joined(start, given.plan, { units: [...promotion(user, held.users, given.plan), ...left] });
  return others.length === 0
    ? change
    : { ...change, units: change.units.map((one) => ({ ...one, isOfChange: true })) };
}

/** The user who fits what is wanted, or one to add or to adopt; otherwise the refusal. */
function userOf(situation: Situation): Found | Plan {
  const { observed, wanted } = situation;
  const { held, seen } = observed;
  const [current] = held.users;
  if (wanted.isIdentityUnknown && current !== undefined) return { user: current, start: joined() };
  const marks = marksOf(situation);
  const listed = (user: HeldUser) => seen.users?.find(({ id }) => id === user.id);
  const isListedAs = (user: HeldUser) => {
    const shown = listed(user);
    return shown !== undefined && isLike(held.ref, marks, shown);
  };
  const fitting = held.users.find((user) => isSame(user, marks)) ?? held.users.find(isListedAs);
  const { userId } = wanted;
  const named = held.users.find(({ id }) => id === userId);
  if (userId !== undefined && named !== undefined && named !== fitting) {
    if (named.address === undefined && named.purpose === undefined) return identified(named, marks);
    return joined({ refused: [{ code: "cannot-adopt", reason: "adoptsPrevious", names: [userId] }] });
  }
  if (userId !== undefined && named === undefined && fitting !== undefined)
    return joined({
      refused: [{ code: "cannot-adopt", reason: "adoptsOther", names: [fitting.id, userId] }],
    });
  if (fitting === undefined) return newUser(situation, marks);
  if (fitting.asked?.what === "user") return perhapsRemoved(fitting, situation);
  const found = identified(fitting, marks);
  const email = listed(fitting)?.email;
  const isDrift = typeof email === "string" && wanted.email !== undefined && !isListedAs(fitting);
  return isDrift ? { ...found, start: joined(found.start, drift(fitting, email)) } : found;
}

/** The service has the address under the same id, or no address was known: the state alone. */
function identified(user: HeldUser, marks: Marks): Found {
  const { address, purpose, lastName } = marks;
  if (isSame(user, marks)) return { user, start: joined() };
  const effect = { do: "user", user: user.id, patch: { address, purpose, lastName } } as const;
  const change = { what: "address", from: user.address ?? user.purpose, to: address ?? purpose };
  return { user, start: joined({ units: unit(note("address", effect, [change])) }) };
}

/** The service has another address for the user, which no row has. */
function drift(user: HeldUser, email: string): Partial<Plan> {
  return { notes: [{ kind: "drift", user: user.id, names: [email] }] };
}

interface Given {
  readonly plan: Plan;
  /** The user whose seat it takes. */
  readonly donor: HeldUser | undefined;
}

/** Seat and token of the user; the seat of another one who leaves comes before a free one. */
function givenTo(user: HeldUser, others: readonly HeldUser[], removal: Removal, situation: Situation): Given {
  const { wanted } = situation;
  if (!wanted.seat) return { plan: withoutSeat(user, situation), donor: undefined };
  const token = wanted.token === undefined ? revokeAll(user) : tokenPlan(user, wanted.token, situation);
  const isDue = user.seat === "none" || user.seat === "unconfirmed" || user.seat === "unknown";
  if (!isDue) return { plan: joined(kept(user), token), donor: undefined };
  const seat = assign(user, others, situation);
  const donor = user.seat === "none" ? others.find((other) => freesSeat(other, removal)) : undefined;
  if (donor === undefined) return { plan: joined({ units: unit(seat) }, token), donor };
  const taken = [
    ...donor.tokens.map((one) => revoke(donor, one, "address")),
    ...otherTokens(donor, removal),
    seatStep(donor, "address"),
  ];
  const isFirst = user.tokens.length === 0;
  const [issue, ...rest] = isFirst ? token.units : [undefined, ...token.units];
  const all: Unit[] = guarded([{ steps: [...taken, seat, ...(issue?.steps ?? [])] }], donor, removal);
  return { plan: { ...token, units: [...all, ...rest.filter((one) => one !== undefined)] }, donor };
}

function assign(user: HeldUser, others: readonly HeldUser[], { wanted, observed }: Situation): Step {
  const isRepeat = user.seat !== "none";
  const isStored = observed.stored.users.some(({ id }) => id === user.id);
  const cause = isRepeat ? "unconfirmed" : isStored ? "missing" : "new";
  const isOther = others.length > 0 && observed.held.users[0]?.id !== user.id;
  const isLast = isOther && (wanted.token === undefined || user.tokens.length > 0);
  return send("assign seat", cause, {
    user: user.id,
    seats: isRepeat ? 0 : 1,
    emails: wanted.sendSeatEmail === true ? 1 : 0,
    ...(isLast && { target: { promotes: true } }),
  });
}

/** A retained seat is managed again without a call. */
function kept(user: HeldUser): Partial<Plan> {
  if (user.seat !== "left") return {};
  const effect = { do: "user", user: user.id, patch: { seat: "held" as const } } as const;
  return { units: unit(note("settings", effect, [{ what: "seat", from: "left", to: "held" }])) };
}

function revokeAll(user: HeldUser): Plan {
  return joined({ units: user.tokens.flatMap((one) => unit(revoke(user, one, "notWanted"))) });
}

function withoutSeat(user: HeldUser, { observed, wanted, can }: Situation): Plan {
  const removal = removalOf(observed, wanted, can, "notWanted");
  if (user.seat === "none" || user.seat === "left") return revokeAll(user);
  if (!isSeatKept(user, removal, false))
    return joined(revokeAll(user), { units: unit(seatStep(user, "notWanted")) });
  // A request without an answer: whether there is a seat to retain shows when it is wanted again.
  if (user.seat !== "held") return revokeAll(user);
  const effect = { do: "user", user: user.id, patch: { seat: "left" as const } } as const;
  const left = unit(note("notWanted", effect, [{ what: "seat", from: user.seat, to: "left" }]));
  return joined(revokeAll(user), { units: left });
}

/** The user becomes the current one: by its last step, or by the state alone if it needs none. */
function promotion({ id }: HeldUser, [current]: readonly HeldUser[], { units }: Plan): Unit[] {
  const isByStep = units.some(({ steps }) => steps.some(({ target }) => target?.promotes === true));
  if (current === undefined || current.id === id || id === NEW_USER || isByStep) return [];
  const change = { what: "user", from: current.id, to: id };
  return unit(note("address", { do: "promote", user: id }, [change]));
}
