/**
 * An OrgUser if users can be listed. A user is created exactly once: the list from before shows which user a lost
 * response created. If it does not, the state keeps a placeholder.
 */

import { ApiError, isUnfinished } from "../../api/calls/errors.ts";
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { type OddItem, oddItemText } from "../../api/schemas/forgiving-list.ts";
import type { User } from "../../api/schemas/schemas.ts";
import { isSameText } from "../../api/schemas/user-names.ts";
import { CodedError } from "../../util/error-codes.ts";
import { messageOf } from "../../util/text.ts";
import { type Creation as Attempts, createOnce } from "../create-once.ts";
import { isRefused, mayHaveSucceeded, withNextStep } from "../failures.ts";
import { lacks, presenceIn } from "../members/absence.ts";
import { describeUsers, firstNameOf, type MemberList, usersLike } from "../members/member-list.ts";
import { findMember, freshMembers, listTokens, sharedMembers } from "../members/reads.ts";
import { describeTokens, liveTokens } from "../members/token-list.ts";
import { keepingUnread, undecidedBy } from "../members/unreadable.ts";
import { factsOf } from "../members/user-facts.ts";
import { wasWritten } from "../members/written.ts";
import { isOwned } from "../ownership.ts";
import type { CallContext } from "../resource.ts";
import { alreadyMember, labelOf } from "./messages.ts";
import type { Creation, Facts, OrgUserInputs, OrgUserOutputs } from "./schema.ts";
import { lostCreation, notAdded } from "./undecided.ts";

/** @throws Error if the person is already a member, or several users may be the created one */
export async function createListed(creation: Creation): Promise<Facts & Pick<User, "id">> {
  const { news, context } = creation;
  const { organizationId, email, lastName } = news;
  const key = email ?? JSON.stringify([firstNameOf(news) ?? null, lastName ?? null]);
  // Machine users of the same names differ only in when they appear on the list.
  const user = await context.runExclusive(`create ${organizationId} ${key}`, () => createNext(creation));
  // The service adds users as members.
  return { id: user.id, ...factsOf({ role: "member", ...user }, news) };
}

/** @throws Error if the list has no user of this id, or another person */
export async function adoptListed(id: string, news: OrgUserInputs, context: CallContext): Promise<Facts> {
  const list = await sharedMembers(news, context);
  if (presenceIn(list, { userId: id }) === "unknown") throw undecidedBy(list, { userId: id }, `user ${id}`);
  const member = list.byId.get(id);
  if (member !== undefined && (news.email === undefined || isSameText(news.email, member.email ?? "")))
    return factsOf(member, news);
  const reason =
    member === undefined
      ? "no user has this id"
      : member.email
        ? `this user is ${member.email}`
        : "the list of users shows no email of this user";
  throw new CodedError(
    "cannot-adopt",
    `cannot adopt user ${id} as ${labelOf(news)}: ${reason}. Set \`adopt\` to the user id of ${labelOf(news)}, or remove it to add a new member`,
  );
}

export async function readListed(
  id: string,
  outs: OrgUserOutputs,
  context: CallContext,
): Promise<OrgUserOutputs | undefined> {
  const read = async () => {
    const member = await findMember({ ...outs, userId: id }, context);
    // What the list does not show stays as the state has it.
    return member && { ...outs, ...factsOf(withKnown(member, outs), outs) };
  };
  return keepingUnread(outs, read, context);
}

function withKnown(member: ListedUser, { email, serviceEmail, role }: OrgUserOutputs): ListedUser {
  const known = serviceEmail ?? email;
  return { ...member, email: member.email || known, role: member.role ?? role ?? undefined };
}

/** What keeps a user from being removed. The removal has failed already; a list that fails too adds nothing to it. */
export async function leftover(
  id: string,
  outs: OrgUserOutputs,
  context: CallContext,
): Promise<string | undefined> {
  const live = liveTokens(await listTokens({ ...outs, userId: id }, context).catch(() => []));
  if (live.length > 0) return `a seat or a token: ${describeTokens(live)}`;
  const list = await freshMembers(outs, context).catch(() => undefined);
  const seat = { userId: id, seat: { product: undefined } };
  return list === undefined || lacks(list, seat) ? undefined : "a seat";
}

async function createNext(creation: Creation): Promise<User> {
  const { news, context } = creation;
  // Names alone do not tell a new user from one that somebody else adds during this run.
  const list = await (news.email === undefined ? freshMembers : sharedMembers)(news, context);
  if (news.email !== undefined && usersLike(list, news).length > 0) {
    // The list may be older than a removal of this run.
    const [member] = membersLike(await freshMembers(news, context), creation);
    if (member) throw listedAlready(creation, member);
  }
  const alike = usersLike(list, news);
  warnAboutOthers(creation, alike);
  const before = new Set(alike.map(({ id }) => id));
  const known = new Set(list.users.map(({ id }) => id));
  return createOnce(attempts(creation, before, known), context);
}

/** A lost state, or another program, may have added a machine user of the same names: nothing shows whose it is. */
function warnAboutOthers({ news, who, context }: Creation, alike: readonly ListedUser[]): void {
  const others = alike.filter(({ id }) => !isOwned(context, "OrgUser", id, news.organizationId));
  if (news.email !== undefined || others.length === 0) return;
  context.warn(
    `OrgUser ${who}: the organization already has users of these names: ${describeUsers(others)}. This run adds another one. If no other resource manages one of them, and you mean it, set \`adopt: "<user id>"\` on this OrgUser, and remove the new user in the service.`,
  );
}

/** An item that cannot be read and was not there before the creation. */
export function newItemIn(odd: readonly OddItem[], known: ReadonlySet<string>): OddItem | undefined {
  return odd.find(({ id }) => id === undefined || !known.has(id));
}

/**
 * How the creation is sent, and what the list of users says after a failure.
 * @param before the ids of the users of these names, and `known` of all users, from before
 */
function attempts(
  creation: Creation,
  before: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Attempts<User> {
  const { who, news, context } = creation;
  return {
    send: creation.send,
    async look(lost) {
      const list = await listAfter(creation, lost, before);
      const created = onlyOne(creation, list, lost, before);
      // The service refuses a second user of an email, but not of other names.
      if (created === undefined && news.email === undefined && isUnfinished(lost)) {
        const why = "The list of users does not show it yet.";
        throw lostCreation(news, lost, context, { before, why });
      }
      const odd = created === undefined && news.email === undefined ? newItemIn(list.odd, known) : undefined;
      if (odd !== undefined) {
        const why = `The list of users has an item that may be it: ${oddItemText(odd)}.`;
        throw lostCreation(news, lost, context, { before, why });
      }
      return created && userOf(created);
    },
    async decide(failure, lost) {
      if (!(failure instanceof ApiError)) throw failure;
      const member = await memberDespite(failure, creation);
      if (member && lost) return userOf(member);
      throw member ? listedAlready(creation, member, failure) : failure;
    },
    again: () =>
      context.warn(
        `OrgUser ${who}: the response to the create request was lost, and nothing was created; orgseat sends the request again.`,
      ),
    giveUp: (lost, count) => withNextStep(lost, `${count} attempts failed, and none added a user.`),
  };
}

/** The member with the email of a refused person, added since the list was read: by a lost attempt of this run, or not. */
async function memberDespite(refusal: ApiError, creation: Creation): Promise<ListedUser | undefined> {
  const { news } = creation;
  if (news.email === undefined || !(isRefused(refusal, 422) || isRefused(refusal, 409))) return undefined;
  return membersLike(await listAfter(creation, refusal), creation)[0];
}

/** Without those whom this run has removed: a list can still show them. */
function membersLike(list: MemberList, { news, context }: Creation): ListedUser[] {
  return usersLike(list, news).filter(
    ({ id }) => !wasWritten("user removed", { ...news, userId: id }, context),
  );
}

/** If the list cannot be read either, the email or the placeholder lets a later run decide. */
async function listAfter(
  { news, who, context }: Creation,
  cause: ApiError,
  before?: ReadonlySet<string>,
): Promise<MemberList> {
  try {
    return await freshMembers(news, context);
  } catch (error) {
    if (!mayHaveSucceeded(cause)) throw cause;
    const reason = messageOf(error);
    if (news.email === undefined)
      throw lostCreation(news, cause, context, {
        ...(before && { before }),
        why: `The list of users cannot be read (${reason}).`,
      });
    const step = `${who} may have been added, but the list of users cannot be read (${reason}). Run \`pulumi up\` again: it adds ${who}, or prints the user id to adopt.`;
    throw withNextStep(cause, step, "user-unknown");
  }
}

/** @throws Error if several users may be the created one */
function onlyOne(
  { news, context }: Creation,
  list: MemberList,
  lost: ApiError,
  before: ReadonlySet<string>,
): ListedUser | undefined {
  const candidates = usersLike(list, news).filter(
    ({ id }) => !before.has(id) && !isOwned(context, "OrgUser", id, news.organizationId),
  );
  if (candidates.length <= 1) return candidates[0];
  const why = `The organization has several new users with these names: ${describeUsers(candidates)}.`;
  throw lostCreation(news, lost, context, { before, why });
}

function listedAlready({ news, who }: Creation, { id }: ListedUser, cause?: ApiError): Error {
  const refusal = cause ?? notAdded(news, `${who} is on the list of users, as user ${id}`);
  return alreadyMember(refusal, who, `\`adopt: "${id}"\``);
}

function userOf({ id, email, first_name, last_name }: ListedUser): User {
  return { id, email, first_name, last_name };
}
