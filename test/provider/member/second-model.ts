/**
 * A second model of a member: which calls are due, in which order, or why none is. It comes from the interface and the
 * documentation, and shares types with the product alone. `second-view.ts`: what is known; `second-token.ts`: what a token needs.
 */
import type { Held, HeldUser } from "../../../provider/member/held.ts";
import { tokenSteps } from "./second-token.ts";
import * as view from "./second-view.ts";

const { revoke, say, step, unit } = view;
type Question = view.Question;
type Person = view.Person;

const takes = (one: string) => one.split(" + ").some((text) => /^(9|10|11) (?!.*conflict)/.test(text));

/** What removes a user, in order. A retained person stays; with a removed one no seat can stay. */
function farewell({ can, wanted, seen }: Question, { agreed }: Held, user: HeldUser) {
  const { onDelete } = agreed;
  const directory = agreed.directory || ("directory" in wanted && wanted.directory);
  const isHidden = seen.isHiding && seen.users && !seen.users.some(({ id }) => id === user.id);
  const role = isHidden ? "unknown" : user.role;
  const isOffboarded = "removal" in wanted && wanted.removal === "delete";
  const keeps = (own?: string, adopted?: boolean) =>
    !directory && !isOffboarded && (own ?? (adopted ? "retain" : "delete")) === "retain";
  const isRetained = keeps(onDelete?.user, user.adopted);
  const isRemoved = !directory && !isRetained;
  const isUnread = !can.canListUsers && user.adopted && isRemoved;
  const isOwn = user.seat !== "none" && (user.seat !== "left" || isRemoved || isOffboarded);
  const hasSeat = isOwn && !(isRetained && keeps(onDelete?.seat, user.seatAdopted));
  const isAllowed = agreed.allowAdminRemoval || ("seat" in wanted && wanted.allowAdminRemoval);
  const isGuarded = isRemoved && !isAllowed && can.canListUsers;
  const guard = isGuarded && !seen.users ? " isMember" : "";
  const [first = "", ...more] = [
    ...user.tokens.map((token) => revoke(user, token)),
    ...(isUnread && user.tokens.length === 0 ? [step(9, user.id)] : []),
    ...(can.canListTokens && !isRetained ? [step(9, user.id, "eachOther")] : []),
    ...(hasSeat || isUnread ? [step(10, user.id)] : []),
    step(isRemoved ? 11 : "~forget", user.id),
  ];
  const isRefused = isGuarded && role !== undefined && role !== "member";
  return { hasSeat, guard, isRefused, all: [first + guard, ...more] };
}

function leaving(question: Question, held: Held): view.Answer {
  const { can, seen } = question;
  const all = held.users.map((user) => farewell(question, held, user)).reverse();
  const isUnread = can.canListUsers && (!seen.users || seen.isHiding);
  const isOpen = isUnread || view.candidates(held, seen).length > 0;
  const waits = held.pending && isOpen ? [isUnread ? "userUndecided" : "userAmbiguous"] : [];
  if (all.some(({ isRefused }) => isRefused)) return say([], "role");
  return say([...all.flatMap((one) => one.all)], ...waits);
}

/** Without a 9 before it, a seat that is not wanted goes; a retained or adopted one stays. */
function seatSteps({ agreed }: Held, person: Person, user?: HeldUser): string[] {
  const seat = user?.seat ?? "none";
  if (person.seat) return seat === "held" ? [] : [step(seat === "left" ? "~user" : 6, user?.id ?? "new")];
  if (!user || seat === "none" || seat === "left") return [];
  const kept = agreed.onDelete?.seat ?? (user.seatAdopted ? "retain" : "delete");
  if (kept === "delete") return [step(10, user.id)];
  return seat === "held" ? [step("~user", user.id)] : [];
}

/** The member as wanted, and the others who leave. Who has no seat gets that of one who leaves, in one unit. */
function staying(q: Question, held: Held, person: Person, user?: HeldUser, first?: string): view.Answer {
  const seat = seatSteps(held, person, user);
  const token = tokenSteps(q, held, person, user);
  const own = person.seat ? [...seat, ...token.units] : [...token.units, ...seat];
  const start = first ? [first] : [];
  const left = held.users.filter(({ id }) => id !== user?.id).map((one) => farewell(q, held, one));
  if (left.length === 0) return say([...start, ...own], ...token.stops);
  const isUnread = user?.seat === "unconfirmed" && !held.users.includes(user);
  const needsSeat = person.seat && (isUnread || (user?.seat ?? "none") === "none");
  const donor = needsSeat ? left.find(({ hasSeat }) => hasSeat) : undefined;
  const given = own.filter((one) => donor && (user?.tokens.length ? /^6 / : /^[67] /).test(one));
  const units = [
    ...start,
    ...unit(...(donor?.all.slice(0, -1) ?? []), ...given),
    ...own.filter((one) => !given.includes(one)),
    ...left.flatMap(({ all, guard }, at) => (left[at] === donor ? [`${all.at(-1)}${guard}`] : all)),
  ];
  const roles = left.some(({ isRefused }) => isRefused) ? ["role"] : [];
  const guards = isProtected(q) && units.some(takes) ? ["protected"] : [];
  const stops = [...token.stops, ...roles, ...guards];
  return say(stops.length > 0 ? [] : units, ...stops);
}

/** Nobody is held who fits: a request, an adoption, or why neither. */
function joining(q: Question, held: Held, person: Person, marks: view.Marks): view.Answer {
  const { seen, can, now } = q;
  const { userId, email } = person;
  const like = seen.users?.filter((one) => view.isSame(marks, view.marksOf(held.ref, one)));
  if (userId === undefined) {
    if (person.directory) return say([], "notInDirectory");
    const found = like?.find(({ id, isOurs }) => (isOurs || email) && !held.left?.includes(id));
    if (found && !found.isOurs) return say([], "userExists");
    if (found) return staying(q, held, person, view.ours(found, marks, view.iso(now)), `~adopt ${found.id}`);
    const guard = can.canListUsers && !seen.users && "notListed";
    return staying(q, held, person, undefined, step(5, "new", marks.address ?? marks.purpose, guard));
  }
  const one = seen.users?.find(({ id }) => id === userId);
  if (held.left?.includes(userId)) return say([], "adoptsGone");
  if (seen.users && !one && !seen.isHiding) return say([], "adoptsMissing");
  if (one && email && !like?.includes(one)) return say([], "adoptsAnother");
  const tokens = view.adopted(one, person.token, view.iso(now));
  if (typeof tokens === "string") return say([], tokens);
  const seat = one?.hasSeat ? (person.seat ? "held" : "left") : one || !person.seat ? "none" : "unconfirmed";
  const user: HeldUser = { ...marks, id: userId, adopted: true, seat, seatAdopted: true, tokens };
  return staying(q, held, person, user, step("~adopt", userId, can.canListUsers && !one && "listed"));
}

function personSteps(q: Question, held: Held, person: Person): view.Answer {
  const { can, seen } = q;
  const { userId, missing, email, purpose, firstName = purpose, lastName } = person;
  const marks = view.marksOf(held.ref, { email, firstName, lastName });
  const isListed = ({ id }: HeldUser) =>
    seen.users?.some((one) => one.id === id && view.isSame(marks, view.marksOf(held.ref, one)));
  const user = held.users.find((one) => view.isSame(marks, one)) ?? held.users.find(isListed);
  const isHeld = held.users.some(({ id }) => id === userId);
  if (userId && userId !== user?.id && (user || isHeld))
    return say([], isHeld ? "adoptsPrevious" : "adoptsOther");
  if (user?.asked?.what === "user" && !userId)
    return missing?.since === user.asked.at ? say([step("~forget", user.id)]) : say([], "removalUndecided");
  const { pending } = held;
  if (!user && pending && !userId && missing?.since !== pending.since) {
    if (!view.isSame(pending, marks)) return say([], "pendingOther");
    if (view.candidates(held, seen).length > 0) return say([], "userAmbiguous");
    const mayRepeat = pending.address && !pending.again && (!can.canListUsers || seen.users);
    if (!mayRepeat) return say([], "userUndecided");
    return staying(q, held, person, undefined, step(5, "new", pending.address, "again"));
  }
  if (!user) return joining(q, held, person, marks);
  const isNoted = view.isSame(user, marks) && user.asked?.what !== "user";
  return staying(q, held, person, user, isNoted ? undefined : step("~user", user.id));
}

function isProtected({ held, wanted }: Question): boolean {
  return held.agreed.protected === true || ("seat" in wanted && wanted.protected === true);
}

/** What is to be sent, and why not more. */
export function secondModel(q: Question): view.Answer {
  const { wanted, now } = q;
  const held = view.look(q);
  const person = "seat" in wanted ? wanted : undefined;
  const isEnded = person?.accessUntil !== undefined && view.ms(person.accessUntil) <= now;
  if (person?.organization === "changed") return say(["replace"]);
  const isStaying = person && !isEnded;
  const { units, stops } = isStaying ? personSteps(q, held, person) : leaving(q, held);
  if (!isProtected(q)) return say(units, ...stops);
  const sent = units.map((one) => one.replace(/ \+ 9 .* conflict$/, ""));
  if (!sent.some(takes)) return say(sent, ...stops);
  return say(isStaying ? sent.filter((one) => !takes(one)) : [], ...stops, "protected");
}
