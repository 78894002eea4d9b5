/**
 * Sends "add user" so that no user is added twice. With a list, the list settles a lost response; without one, or where it
 * does not, what is held says that a user may exist.
 */
import { ApiError, isUnfinished } from "../../api/calls/errors.ts";
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { type OddItem, oddItemText } from "../../api/schemas/forgiving-list.ts";
import type { User } from "../../api/schemas/schemas.ts";
import { userMismatch } from "../../api/schemas/user-names.ts";
import { createOnce } from "../../resources/create-once.ts";
import { isRefused, mayHaveSucceeded, withNextStep } from "../../resources/failures.ts";
import {
  describeUsers,
  firstNameOf,
  type MemberList,
  requireList,
  usersLike,
} from "../../resources/members/member-list.ts";
import { freshMembers, sharedMembers } from "../../resources/members/reads.ts";
import { noteWrite, wasWritten } from "../../resources/members/written.ts";
import { isOwned } from "../../resources/ownership.ts";
import { messageOf } from "../../util/text.ts";
import { listedNames } from "../observe.ts";
import { alreadyMember, failureOf, lostUser, Unsettled } from "./failures.ts";
import { outcomeOf } from "./outcome.ts";
import { identityOf, nameOf, type Sender, type Sent } from "./sender.ts";

async function send(sender: Sender, isListed: boolean): Promise<Sent> {
  const { access, context } = sender;
  const identity = identityOf(sender.wanted);
  const { email, lastName: last_name } = identity;
  const request = { email, first_name: firstNameOf(identity), last_name };
  const user = await context.service.api(access).createUser(request, context.time.operation);
  requireSameUser(user, sender);
  noted(user.id, sender);
  const at = context.time.sendTime();
  if (!isListed) return { outcome: { is: "ok", userId: user.id, at }, added: user };
  // The service adds users as members, with the names that it got.
  const sent = { id: user.id, role: "member", first_name: request.first_name, last_name };
  return { outcome: { is: "ok", ...asListed(sent, sender), at }, added: user };
}

/**
 * A proxy or a service that mixes up two responses would otherwise give one person's seat and token to another.
 * @throws ApiError `bad-answer` if the response is about another user: whether the user was created is unknown
 */
function requireSameUser(answered: User, { access, wanted, context }: Sender): void {
  const { organizationId } = access;
  const identity = identityOf(wanted);
  const owner = isOwned(context, "OrgUser", answered.id, organizationId)
    ? `another resource of this program has ${context.people.nameOf(answered.id)}`
    : undefined;
  const reason = userMismatch({ ...identity, firstName: firstNameOf(identity) }, answered) ?? owner;
  if (reason === undefined) return;
  throw new ApiError({
    code: "bad-answer",
    call: "add user",
    method: "POST",
    path: `/organizations/${organizationId}/users`,
    reason: `the service returned another user: ${reason}. orgseat discards this response and gives that user no seat and no token`,
  });
}

export function addUser(sender: Sender): Promise<Sent> {
  const { access, context, wanted } = sender;
  const { email, purpose, lastName } = identityOf(wanted);
  const key = email ?? JSON.stringify([purpose ?? null, lastName ?? null]);
  const turn = `create ${access.organizationId} ${key}`;
  return context.run.runExclusive(turn, () => addNext(sender), context.time.operation);
}

async function addNext(sender: Sender): Promise<Sent> {
  let before: Before | undefined;
  try {
    before = await usersBefore(sender);
    if (before === undefined) return await send(sender, false);
    return await createOnce(attempts(sender, before), sender.context.time);
  } catch (error) {
    if (error instanceof Unsettled) return error.sent;
    return withBefore(failureOf(error, "add user", sender), before);
  }
}

/** The ids of the users from before. */
interface Before {
  /** Of these names: names alone do not tell a new user from one that somebody else adds. */
  readonly alike: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

function withBefore(sent: Sent, before: Before | undefined): Sent {
  const { outcome } = sent;
  const isOpen = outcome.is === "lost" || outcome.is === "late";
  return isOpen && before !== undefined
    ? { ...sent, outcome: { ...outcome, before: [...before.alike] } }
    : sent;
}

async function usersBefore(sender: Sender): Promise<Before | undefined> {
  const { access, wanted, context } = sender;
  const identity = identityOf(wanted);
  const list = await (identity.email === undefined ? freshMembers : sharedMembers)(access, context);
  if (list === undefined) return undefined;
  const alike = identity.email === undefined ? usersLike(list, identity) : [];
  warnAboutOthers(alike, sender);
  return { alike: new Set(alike.map(({ id }) => id)), all: new Set(list.byId.keys()) };
}

/** A lost state, or another program, may have added a machine user of the same names. A plan of a roster asks before. */
function warnAboutOthers(alike: readonly ListedUser[], sender: Sender): void {
  const { access, context } = sender;
  const others = alike.filter(({ id }) => !isOwned(context, "OrgUser", id, access.organizationId));
  if (others.length === 0 || context.approvedOf !== undefined) return;
  context.diagnostics.warn(
    `machine user ${nameOf(sender)}: the organization already has users of these names: ${describeUsers(others)}. This run adds another one. If no other resource manages one of them, and you mean it, set \`adopt: "<user id>"\`, and remove the new user in the service.`,
  );
}

function attempts(sender: Sender, before: Before) {
  const { context, wanted } = sender;
  const isPerson = identityOf(wanted).email !== undefined;
  return {
    send: () => send(sender, true),
    async look(lost: ApiError): Promise<Sent | undefined> {
      const list = await listAfter(sender, lost, before);
      const found = newIn(list, sender, before);
      const [user] = found;
      if (found.length > 1) {
        const why = `The organization has several new users with these names: ${describeUsers(found)}.`;
        throw open(sender, lost, before, why);
      }
      if (user !== undefined) return ownUser(user, sender);
      // The service refuses a second user of an email, but not of other names.
      if (!isPerson) requireNone(list.odd, sender, lost, before);
      return undefined;
    },
    async decide(failure: unknown, lost: ApiError | undefined): Promise<Sent> {
      const isTaken = isRefused(failure, 409) || isRefused(failure, 422);
      if (!isPerson || !isTaken) throw failure;
      const list = await listAfter(sender, lost ?? failure, before);
      const [user] = newIn(list, sender, before);
      if (user !== undefined && lost !== undefined) return ownUser(user, sender);
      const isUnlisted = isRefused(failure, 409) && thereIn(list, sender).length === 0;
      if (user === undefined && !isUnlisted) throw failure;
      const outcome = { is: "conflict", at: context.time.sendTime() } as const;
      throw new Unsettled({ outcome, error: alreadyMember(failure, user?.id, sender) });
    },
    again: () =>
      context.diagnostics.warn(
        `${nameOf(sender)}: the response to the create request was lost, and nothing was created; orgseat sends the request again.`,
      ),
    // The list shows that none of them had an effect.
    giveUp: (lost: ApiError, count: number) => {
      const { at } = outcomeOf("add user", lost, context.time.sendTime());
      const error = withNextStep(lost, `${count} attempts failed, and none added a user.`);
      return new Unsettled({ outcome: { is: "refused", isForGood: false, at }, error });
    },
  };
}

/** @throws Unsettled if the service may still add a machine user, or the list may hide it */
function requireNone(odd: readonly OddItem[], sender: Sender, lost: ApiError, before: Before): void {
  if (isUnfinished(lost)) throw open(sender, lost, before, "The list of users does not show it yet.");
  const item = odd.find(({ id }) => id === undefined || !before.all.has(id));
  if (item === undefined) return;
  const why = `The list of users has an item that may be it: ${oddItemText(item)}.`;
  throw open(sender, lost, before, why);
}

function open(sender: Sender, lost: ApiError, before: Before, why: string): Unsettled {
  const outcome = outcomeOf("add user", lost, sender.context.time.sendTime());
  return new Unsettled(withBefore({ outcome, error: lostUser(lost, sender, why) }, before));
}

async function listAfter(sender: Sender, cause: ApiError, before: Before): Promise<MemberList> {
  try {
    return requireList(await freshMembers(sender.access, sender.context));
  } catch (error) {
    if (!mayHaveSucceeded(cause)) throw cause;
    // What is held lets a later run decide.
    throw open(sender, cause, before, `The list of users cannot be read (${messageOf(error)}).`);
  }
}

/** The listed users who are like the wanted one, without those whom this run has removed: a list can still show them. */
function thereIn(list: MemberList, { access, wanted, context }: Sender): ListedUser[] {
  return usersLike(list, identityOf(wanted)).filter(
    ({ id }) => !wasWritten("user removed", { ...access, userId: id }, context),
  );
}

/** Those of them who may be the new one. */
function newIn(list: MemberList, sender: Sender, before: Before): ListedUser[] {
  const { access, context } = sender;
  return thereIn(list, sender).filter(
    ({ id }) => !before.alike.has(id) && !isOwned(context, "OrgUser", id, access.organizationId),
  );
}

function ownUser(user: ListedUser, sender: Sender): Sent {
  noted(user.id, sender);
  const at = sender.context.time.sendTime();
  return { outcome: { is: "ok", ...asListed(user, sender), at }, added: user };
}

function noted(userId: string, sender: Sender): void {
  const { access, context } = sender;
  noteWrite("user added", { ...access, userId }, context);
  context.people.learn(userId, nameOf(sender));
}

/** What a list shows of a new user. */
function asListed({ id, role, first_name, last_name }: ListedUser, { ref }: Sender) {
  const names = listedNames(ref, { firstName: first_name, lastName: last_name });
  return { userId: id, role: role ?? "member", ...(names !== undefined && { names }) };
}
