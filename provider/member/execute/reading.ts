/**
 * What the service shows of a member: for a step that depends on it, and for a refresh. A service without lists shows nothing.
 */
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { hiddenIn } from "../../api/schemas/forgiving-list.ts";
import type { CallContext, OrganizationAccess } from "../../resources/contexts.ts";
import { missingToken, presenceIn, resolveOwn } from "../../resources/members/absence.ts";
import {
  seatOf as listedSeat,
  type MemberList,
  requireList,
  roleOf,
} from "../../resources/members/member-list.ts";
import {
  findMember,
  freshMembers,
  holdsSeat,
  listTokens,
  requireRightsOnce,
  sharedMembers,
} from "../../resources/members/reads.ts";
import { keepingUnread, undecidedBy } from "../../resources/members/unreadable.ts";
import { wasWritten } from "../../resources/members/written.ts";
import { isOwned } from "../../resources/ownership.ts";
import { known } from "../../resources/unknown.ts";
import { isPast } from "../../resources/user-token/dates.ts";
import { CodedError } from "../../util/error-codes.ts";
import { asOwn, type Held, type HeldToken, type HeldUser, hasToken, markOf } from "../held.ts";
import { asListed, isLike, observe, seenToken, unread } from "../observe.ts";
import type { Condition } from "../step.ts";
import { marksOf } from "../steps/joining.ts";
import { standIn } from "../steps/settings.ts";
import type { Seen, SeenToken, SeenUser, Wanted, WantedMember } from "../wanted.ts";
import { nameOf } from "./sender.ts";

const ofTokens: readonly Condition[] = ["listed", "identified", "noOtherToken"];

interface Reading {
  readonly held: Held;
  readonly wanted: Wanted;
  readonly access: OrganizationAccess;
  readonly context: CallContext;
}

/** What decides the conditions. One list proves no absence: what it lacks is unread. */
export async function seenFor(conditions: readonly Condition[], reading: Reading): Promise<Seen> {
  const { held, wanted, access, context } = reading;
  const adopted = wanted.leaving ? undefined : known(wanted.userId);
  const isConcerned = concernedBy(reading);
  const shared = await sharedMembers(access, context);
  if (shared === undefined) return {};
  // The list of this run may be older than a removal of this run.
  const isOld = conditions.includes("notListed") && shared.users.some(isConcerned);
  const list = (isOld ? await freshMembers(access, context) : undefined) ?? shared;
  const isHeld = ({ id }: ListedUser) => held.users.some((user) => user.id === id);
  const concerned = list.users.filter((one) => isHeld(one) || one.id === adopted || isConcerned(one));
  const isTokenless = !wanted.leaving && wanted.token === undefined;
  const withTokens = !isTokenless && conditions.some((one) => ofTokens.includes(one));
  const named = [...held.users.map(({ id }) => id), ...(adopted === undefined ? [] : [adopted])];
  if (conditions.some((one) => one !== "notListed"))
    for (const userId of named) requireReadable(list, userId, reading);
  const users: SeenUser[] = [];
  for (const one of concerned) {
    const isRead = withTokens && (isHeld(one) || one.id === adopted);
    const seat = seatIn(list, one, context) === true ? true : undefined;
    const isOurs = !isHeld(one) && one.id !== adopted && isCutOff(one, reading);
    const tokens = isRead || isOurs ? await tokensOf(one.id, reading) : undefined;
    users.push({ ...seenUser(one, seat, tokens), ...(isOurs && { isOurs }) });
  }
  return { users, ...hiding(list) };
}

/** Whether an interrupted run added the user, and no state has it: the log alone proves that, and only without a token. */
function isCutOff({ id }: ListedUser, { access, context }: Reading): boolean {
  const isOfThisRun = wasWritten("user added", { ...access, userId: id }, context);
  return !isOfThisRun && context.run.addedWithoutToken().has(id);
}

/** @throws Error if an item that cannot be read may be this user */
function requireReadable(list: MemberList, userId: string, { wanted, context }: Reading): void {
  if (presenceIn(list, { userId }) !== "unknown") return;
  throw undecidedBy(list, { userId }, nameOf({ wanted, context }, userId));
}

function hiding({ odd }: MemberList): Pick<Seen, "isHiding"> {
  return hiddenIn(odd).length > 0 ? { isHiding: true } : {};
}

/** Undefined if the list cannot tell. */
function seatIn(list: MemberList, user: ListedUser, { defaults }: CallContext): boolean | undefined {
  const status = listedSeat(list, user, defaults.product);
  return status === "unknown" ? undefined : status === "yes";
}

/** Selects the listed users of the member's address or names whom no one else has. */
function concernedBy({ held, wanted, access, context }: Reading): (user: ListedUser) => boolean {
  const { pending } = held;
  const marks = wanted.leaving ? undefined : wantedMarks(held, wanted, context);
  return (user) => {
    const seen = seenUser(user, undefined, undefined);
    const owner = { ...access, userId: user.id };
    const isLikeAny = [pending, marks].some((one) => one !== undefined && isLike(held.ref, one, seen));
    const isOthers = isOwned(context, "OrgUser", user.id, access.organizationId);
    return isLikeAny && !isOthers && !wasWritten("user removed", owner, context);
  };
}

function wantedMarks(held: Held, wanted: WantedMember, context: CallContext) {
  const situation = { observed: unread(held), wanted: standIn(held, wanted), now: context.now };
  return marksOf({ ...situation, can: context.can });
}

export function seenUser(
  { id, email, first_name, last_name, role }: ListedUser,
  seat: boolean | undefined,
  tokens: readonly SeenToken[] | undefined,
): SeenUser {
  return { id, email, firstName: first_name, lastName: last_name, role, hasSeat: seat, tokens };
}

async function tokensOf(
  userId: string,
  { access, context }: Pick<Reading, "access" | "context">,
): Promise<SeenToken[] | undefined> {
  const listed = await listTokens({ ...access, userId }, context);
  return listed?.map(seenToken);
}

/**
 * What is held after a refresh: the same if a list cannot tell; undefined if every user is proven absent, and nothing is pending.
 * @throws Error if the service's answers contradict each other, or more is missing than the removal limit allows
 */
export async function readMember(reading: Omit<Reading, "wanted">): Promise<Held | undefined> {
  return keepingUnread(reading.held, () => readNow(reading), reading.context);
}

async function readNow(reading: Omit<Reading, "wanted">): Promise<Held | undefined> {
  const { held, access, context } = reading;
  const users: SeenUser[] = [];
  const absent: string[] = [];
  for (const user of held.users) {
    const member = await findMember({ ...access, userId: user.id }, context);
    if (member === "not listed") return held;
    if (member === "absent") absent.push(user.id);
    else users.push(seenUser(member, await seatOf(user, member, reading), await ownTokens(user, reading)));
  }
  const isGone = held.users.length > 0 && users.length === 0 && held.pending === undefined;
  if (isGone) return undefined;
  const others = held.pending === undefined ? {} : ((await readPending(reading)) ?? {});
  return observe(held, { ...others, users: [...users, ...(others.users ?? [])], absent }).held;
}

/** The same for the tokens alone. */
export async function readTokens(reading: Omit<Reading, "wanted">): Promise<Held | undefined> {
  const { held, access, context } = reading;
  const read = async (): Promise<Held | undefined> => {
    const users: HeldUser[] = [];
    for (const user of held.users) {
      const member = await findMember({ ...access, userId: user.id }, context);
      if (member === "not listed") return held;
      if (member === "absent") continue;
      const tokens = await ownTokens(user, reading);
      const seen = { users: [{ id: user.id, tokens }] };
      users.push({ ...user, tokens: observe({ ...held, users: [user] }, seen).held.users[0]?.tokens ?? [] });
    }
    return users.length === 0 ? undefined : { ...held, users };
  };
  return keepingUnread(held, read, context);
}

/** A missing seat is confirmed by a second list. One that may never have been assigned proves nothing. */
async function seatOf(
  { id, seat }: HeldUser,
  member: ListedUser,
  { access, context }: Omit<Reading, "wanted">,
): Promise<boolean | undefined> {
  const list = await sharedMembers(access, context);
  const isShown = list && seatIn(list, member, context);
  if (isShown === true || seat === "none") return isShown;
  if (seat === "unconfirmed") return undefined;
  return keepingUnread<boolean | undefined>(
    undefined,
    () => holdsSeat({ ...access, userId: id }, context),
    context,
  );
}

async function ownTokens(
  user: HeldUser,
  { access, context }: Omit<Reading, "wanted">,
): Promise<readonly SeenToken[] | undefined> {
  const owner = { ...access, userId: user.id };
  if (!hasToken(user)) return undefined;
  const seen = await tokensOf(user.id, { access, context });
  if (seen === undefined) return undefined;
  const listed = seen.map(asListed);
  for (const token of user.tokens) {
    const own = resolveOwn(listed, asOwn(token));
    if ("gone" in own) context.guards.countMissing({ ...owner, type: "UserToken" });
    if ("missing" in own && (token.id !== undefined || token.value !== "lost"))
      throw new CodedError("token-gone", missingToken(context.people.nameOf(user.id)));
  }
  return seen;
}

/** Those of two lists who may be the user of a creation without an answer; undefined without a list. */
export async function readPending(reading: Omit<Reading, "wanted">): Promise<Seen | undefined> {
  const { held, access, context } = reading;
  const isLike = concernedBy({ ...reading, wanted: { leaving: true } });
  const isConcerned = (user: ListedUser) => isLike(user) && !held.pending?.before?.includes(user.id);
  let hides: Pick<Seen, "isHiding"> = {};
  for (const read of [sharedMembers, freshMembers]) {
    const list = await read(access, context);
    if (list === undefined) return undefined;
    await requireRightsOnce(list, access, context);
    hides = { ...hides, ...hiding(list) };
    const found = list.users.filter(isConcerned);
    if (found.length === 0) continue;
    const users = found.map(async (one) =>
      seenUser(one, seatIn(list, one, context), await tokensOf(one.id, reading)),
    );
    return { users: await Promise.all(users), ...hides };
  }
  return { users: [], ...hides };
}

/** Who an adopted user is, in readable form. */
interface Identity {
  readonly email?: string | undefined;
  readonly purpose?: string | undefined;
  readonly lastName?: string | undefined;
}

/**
 * A user whom no state has, with the seat and the only token.
 * @param given `purpose`: of a machine user
 * @throws Error if the list cannot tell who the user is, or whether the user has a seat
 */
export async function readAdopted(
  id: string,
  given: Identity,
  access: OrganizationAccess,
  context: CallContext,
): Promise<{ readonly held: HeldUser; readonly identity: Identity } | undefined> {
  const member = await findMember({ ...access, userId: id }, context);
  if (typeof member === "string") return undefined;
  const { purpose, lastName } = given;
  const email = member.email ?? undefined;
  if (purpose === undefined && email === undefined)
    throw new CodedError(
      "cannot-adopt",
      `cannot adopt user ${id}: the list of users shows no email of this user. Correct it in the service, or set \`purpose\` if this is a machine user`,
    );
  const list = requireList(await sharedMembers(access, context));
  const isSeated = seatIn(list, member, context);
  if (isSeated === undefined) {
    const seat = { product: context.defaults.product };
    throw undecidedBy(list, { userId: id, seat }, `the seat of ${email ?? purpose}`);
  }
  const seen = (await tokensOf(id, { access, context })) ?? [];
  const live = seen.filter(({ isRevoked }) => isRevoked !== true);
  // A token needs a seat, and no program can declare a date that has passed.
  const isAdopted = isSeated && live.length === 1 && !live.some(({ end }) => end && isPast(end, context.now));
  const tokens = isAdopted ? live.map((token) => adoptedToken(token, context.time.sendTime())) : [];
  const marks =
    purpose === undefined
      ? { address: markOf(id, email ?? "") }
      : { purpose: markOf(id, purpose), ...(lastName !== undefined && { lastName: markOf(id, lastName) }) };
  const held: HeldUser = {
    ...{ id, ...marks, role: roleOf(member), adopted: true, tokens },
    ...{ seat: isSeated ? "held" : "none", seatAdopted: isSeated },
  };
  return { held, identity: purpose === undefined ? { email } : { purpose, lastName } };
}

/** A token without its value, whose recipients are not agreed yet. */
export function adoptedToken({ id, end }: SeenToken, at: string): HeldToken {
  const declaredEnd = end ?? at;
  return { id, adopted: true, issuedAt: at, declaredEnd, reportedEnd: end, value: "none" };
}
