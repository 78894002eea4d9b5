/** What is held after a step: whatever its answer, the next plan finds what is missing. Pure. */

import { parseDuration } from "../util/duration.ts";
import { formatInstant, instantMs, isLater } from "../util/instants.ts";
import { endOf, type Held, type HeldToken, type HeldUser, nameOfToken, REVOCATION } from "./held.ts";
import { leftWith, tidied } from "./observe.ts";
import { calls, type Effect, NEW_USER, type Step } from "./step.ts";
import { withoutAbsent } from "./steps/settings.ts";

/** The answer to "issue token", or what the lists show of it. */
export interface IssuedToken {
  readonly id?: string | undefined;
  /** While no list shows the id: the ids from before. */
  readonly others?: readonly string[] | undefined;
  /** The ids that the list shows as revoked, or lacks since: the service can end a user's tokens when it issues one. */
  readonly ended?: readonly string[] | undefined;
  readonly end?: string | undefined;
  readonly value: "kept" | "sealed" | "none";
}

export type Outcome = { readonly at: string } & (
  | {
      readonly is: "ok";
      /** Of "add user". */
      readonly userId?: string;
      readonly role?: string;
      /** The marks of the names that it has. */
      readonly names?: HeldUser["listed"];
      /** Of "issue token". */
      readonly token?: IssuedToken;
      /** Of "renew token": the end, and where the response has another value, how the state keeps it. */
      readonly end?: string | undefined;
      readonly value?: "kept" | "sealed" | "none";
    }
  /** A removal: its object is proven absent. */
  | { readonly is: "gone" }
  /** A removal: 404 in the form of the contract, which alone proves nothing. */
  | { readonly is: "unproven" }
  /** A renewal that the service accepted without moving the end. */
  | { readonly is: "noEffect"; readonly end?: string | undefined }
  | { readonly is: "refused"; readonly isForGood: boolean }
  /** The object exists already: the response, or the list, shows it (409). */
  | { readonly is: "conflict" }
  /** No response: it may have had an effect (`lost`), or may still have one (`late`). `before`: the ids that a list showed before. */
  | { readonly is: "lost" | "late"; readonly before?: readonly string[] }
);

export function advance(held: Held, step: Step, outcome: Outcome): Held {
  const { call } = step;
  if (call === undefined) return outcome.is === "ok" && step.effect ? applied(held, step.effect) : held;
  if (call === "add user") return added(held, step, outcome);
  const user = userOf(held, step);
  if (user === undefined) return held;
  if (call === "issue token") return agreedWith(issued(held, user, step, outcome), step, outcome);
  if (call === "renew token") return agreedWith(renewed(held, user, step, outcome), step, outcome);
  if (call === "assign seat") return seated(held, user, step, outcome);
  if (calls[call].takes) return removed(held, user, step, outcome);
  return held;
}

/** Whether the order of removal allows the step: nothing goes before what depends on it. */
export function isReady(held: Held, step: Step): boolean {
  const { call, effect } = step;
  if (call === "add user" || (call === undefined && effect?.do !== "forget")) return true;
  const user = userOf(held, effect?.do === "forget" ? effect : step);
  if (user === undefined) return false;
  const hasToken = user.tokens.some(({ asked }) => asked?.what !== REVOCATION);
  if (effect?.do === "forget")
    return !hasToken && (effect.isSeatKept === true || effect.isGone === true || user.seat === "none");
  if (call === "remove seat") return !hasToken;
  if (call === "remove user") return !hasToken && (user.seat === "none" || user.asked !== undefined);
  if (call === "issue token") return user.seat === "held" || user.seat === "left";
  return true;
}

function userOf({ users }: Held, { user: name }: Pick<Step, "user">): HeldUser | undefined {
  if (name !== NEW_USER) return users.find(({ id }) => id === name);
  return users.findLast(({ coming }) => coming === true) ?? users[0];
}

function withUser(held: Held, user: HeldUser): Held {
  return { ...held, users: held.users.map((one) => (one.id === user.id ? withoutAbsent(user) : one)) };
}

function withoutUser(held: Held, user: HeldUser, isGone = true): Held {
  const users = held.users.filter(({ id }) => id !== user.id);
  return tidied({ ...held, users, ...(isGone && { left: leftWith(held, [user]) }) });
}

function promoted(held: Held, id: string): Held {
  const user = held.users.find((one) => one.id === id);
  if (user === undefined) return held;
  const { coming: _, ...current } = user;
  const others = held.users.filter((one) => one !== user).map(({ coming: _coming, ...one }) => one);
  return { ...held, users: [current, ...others] };
}

function applied(held: Held, effect: Effect): Held {
  if (effect.do === "observe") return observed(held, effect.held);
  if (effect.do === "agree") return { ...held, agreed: withoutAbsent({ ...held.agreed, ...effect.agreed }) };
  if (effect.do === "key") return withoutAbsent({ ...held, key: effect.key });
  if (effect.do === "pending") return withoutAbsent({ ...held, pending: effect.pending });
  if (effect.do === "promote") return promoted(held, effect.user);
  if (effect.do === "adopt") {
    const { pending: _, ...rest } = held;
    return { ...rest, users: [...held.users.filter(({ id }) => id !== effect.user.id), effect.user] };
  }
  const user = userOf(held, effect);
  if (user === undefined) return held;
  if (effect.do === "forget") return withoutUser(held, user, effect.isGone === true);
  if (effect.do === "user") return withUser(held, { ...user, ...effect.patch });
  const tokens = user.tokens.map((token) =>
    nameOfToken(token) === effect.token ? withoutAbsent({ ...token, ...effect.patch }) : token,
  );
  return withUser(held, { ...user, tokens });
}

/** An observation is about users; what was agreed since stays. */
function observed(held: Held, { users, pending, left }: Held): Held {
  return withoutAbsent({ ...held, users, pending, left });
}

/** The settings that a new token or a renewal brings into force. */
function agreedWith(held: Held, { target }: Step, { is }: Outcome): Held {
  if (is !== "ok" || target?.agrees === undefined) return held;
  return { ...held, agreed: withoutAbsent({ ...held.agreed, ...target.agrees }) };
}

function added(held: Held, { target = {} }: Step, outcome: Outcome): Held {
  const { pending, ...rest } = held;
  const { address, purpose, lastName } = target;
  const marks = withoutAbsent({ address, purpose, lastName });
  if (outcome.is === "ok" && outcome.userId !== undefined) {
    const coming = held.users.length > 0 ? ({ coming: true } as const) : {};
    const user: HeldUser = {
      id: outcome.userId,
      ...{ ...coming, ...marks, since: outcome.at },
      ...(outcome.role !== undefined && { role: outcome.role }),
      ...(outcome.names !== undefined && { listed: outcome.names }),
      ...{ adopted: false, seat: "none", seatAdopted: false, tokens: [] },
    };
    const after = { ...rest, users: [...held.users, user] };
    return target.promotes === true ? promoted(after, user.id) : after;
  }
  if (outcome.is === "conflict" && pending !== undefined)
    return { ...held, pending: { ...pending, again: true } };
  if (outcome.is !== "lost" && outcome.is !== "late") return held;
  const first = target.isAgain === true ? pending : undefined;
  const { before = first?.before } = outcome;
  return {
    ...held,
    pending: {
      since: first?.since ?? outcome.at,
      ...marks,
      ...(before && { before: [...before] }),
      ...((outcome.is === "late" || first?.late === true) && { late: true }),
      ...(first && { again: true }),
    },
  };
}

function seated(held: Held, user: HeldUser, { target }: Step, outcome: Outcome): Held {
  if (outcome.is === "lost" || outcome.is === "late") return withUser(held, { ...user, seat: "unconfirmed" });
  // The service has it, and doesn't say who assigned it: after a lost request it is ours.
  const isHeld = outcome.is === "ok" || (outcome.is === "conflict" && user.seat !== "none");
  if (!isHeld) return held;
  const seatSince = user.seat === "none" ? outcome.at : user.seatSince;
  const after = withUser(held, withoutAsked({ ...user, seat: "held", seatSince }));
  return target?.promotes === true ? promoted(after, user.id) : after;
}

function withoutAsked({ asked: _, ...user }: HeldUser): HeldUser {
  return user;
}

function issued(held: Held, user: HeldUser, step: Step, outcome: Outcome): Held {
  const { target = {} } = step;
  const { at } = outcome;
  const isLost = outcome.is === "lost" || outcome.is === "late";
  const answer = outcome.is === "ok" ? outcome.token : undefined;
  if (!isLost && answer === undefined) return held;
  const others = isLost ? outcome.before : answer?.others;
  const isEarlier =
    answer?.end !== undefined && target.until !== undefined && isLater(target.until, answer.end);
  const isAsked = target.request !== undefined && (isEarlier || target.isPeriod === true) && !isLost;
  const token: HeldToken = withoutAbsent({
    id: answer?.id,
    others: answer?.id === undefined && others !== undefined ? [...others] : undefined,
    adopted: false,
    issuedAt: at,
    declaredEnd: target.until ?? answer?.end ?? at,
    reportedEnd: answer?.end,
    mark: target.mark,
    value: answer?.value ?? "lost",
    sealedFor: target.recipients && target.recipients.length > 0 ? [...target.recipients] : undefined,
    asked: isAsked ? { what: target.request ?? "", at } : undefined,
  });
  // Without ids a user has one token: the new one proves that no other is left.
  const isAlone = token.id === undefined && others === undefined;
  const earlier = isAlone ? [] : user.tokens.map((old, index) => (index === 0 ? ended(old, step, at) : old));
  const isLeft = ({ id = "" }: HeldToken) => answer?.ended?.includes(id) !== true;
  const tokens = [token, ...earlier.filter(isLeft)];
  const after = withUser(held, { ...user, tokens, unmanaged: undefined });
  return target.promotes === true && !isLost ? promoted(after, user.id) : after;
}

/** The replaced token stays until its revocation, or for a while. */
function ended(token: HeldToken, { target }: Step, at: string): HeldToken {
  const keep = target?.keepPreviousFor;
  const endsAfter = keep === undefined ? at : formatInstant(instantMs(at) + (parseDuration(keep) ?? 0));
  return { ...token, endsAfter };
}

function renewed(held: Held, user: HeldUser, step: Step, outcome: Outcome): Held {
  const { target = {} } = step;
  const { at } = outcome;
  const change = (patch: (token: HeldToken) => Partial<HeldToken>): Held => {
    const tokens = user.tokens.map((one) =>
      nameOfToken(one) === step.token ? withoutAbsent({ ...one, ...patch(one) }) : one,
    );
    return withUser(held, { ...user, tokens });
  };
  const asked = target.request === undefined ? undefined : { what: target.request, at };
  // A period is requested again after half of the rest, a date by the next run.
  if (outcome.is === "noEffect") return target.isPeriod === true ? change(() => ({ asked })) : held;
  if (outcome.is !== "ok") return held;
  const { end, value } = outcome;
  const until = target.until;
  const isEarlier = end !== undefined && until !== undefined && isLater(until, end);
  return change((one) => ({
    declaredEnd: until ?? endOf(one),
    reportedEnd: end,
    asked: isEarlier || target.isPeriod === true ? asked : undefined,
    ...(value !== undefined && { value }),
  }));
}

function removed(held: Held, user: HeldUser, step: Step, outcome: Outcome): Held {
  const { at, is } = outcome;
  if (is === "ok" || is === "gone") return proven(held, user, step, is);
  if (is !== "unproven" && is !== "lost" && is !== "late") return held;
  if (step.call !== "revoke token") {
    const asked = { what: step.call === "remove seat" ? ("seat" as const) : ("user" as const), at };
    const seat = step.call === "remove seat" ? ({ seat: "unknown" } as const) : {};
    return withUser(held, { ...user, ...seat, asked });
  }
  const asked = { what: REVOCATION, at };
  const tokens = user.tokens.map((one) => (nameOfToken(one) === step.token ? { ...one, asked } : one));
  return withUser(held, { ...user, tokens });
}

/**
 * One success proves the earlier requests about the user, too; without ids, so does the proof that a seat is gone, which the
 * service keeps as long as there is a token.
 */
function proven(held: Held, user: HeldUser, { call, token }: Step, is: "ok" | "gone"): Held {
  if (call === "remove user") return withoutUser(held, user);
  const isProof = ({ id, others }: HeldToken) =>
    is === "ok" || (call === "remove seat" && id === undefined && others === undefined);
  const isAsked = (one: HeldToken) => one.asked?.what === REVOCATION && isProof(one);
  const tokens = user.tokens.filter((one) => nameOfToken(one) !== token && !isAsked(one));
  if (call === "revoke token") return withUser(held, { ...user, tokens });
  const { seatSince: _, ...rest } = withoutAsked({ ...user, tokens });
  return withUser(held, { ...rest, seat: "none", seatAdopted: false });
}
