/**
 * Sends "add user" so that no user is added twice. With a list, the list settles a lost response; without one, or where it
 * does not, what is held says that a user may exist.
 */
import { type ApiError, isUnfinished } from "../../api/calls/errors.ts";
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { createOnce } from "../../resources/create-once.ts";
import { isRefused } from "../../resources/failures.ts";
import { firstNameOf, type MemberList, usersLike } from "../../resources/members/member-list.ts";
import { freshMembers, sharedMembers } from "../../resources/members/reads.ts";
import { noteWrite, wasWritten } from "../../resources/members/written.ts";
import { newItemIn } from "../../resources/org-user/listed.ts";
import { requireSameUser } from "../../resources/org-user/user-answer.ts";
import { isOwned } from "../../resources/ownership.ts";
import type { Outcome } from "../advance.ts";
import { listedNames } from "../observe.ts";
import { alreadyMember, failureOf, lostUser, Unsettled } from "./failures.ts";
import { outcomeOf } from "./outcome.ts";
import { identityOf, nameOf, type Sender, type Sent } from "./sender.ts";

export function addUser(sender: Sender): Promise<Sent> {
  return sender.can.listsUsers ? addListed(sender) : addUnlisted(sender);
}

async function addUnlisted(sender: Sender): Promise<Sent> {
  try {
    return { outcome: await send(sender) };
  } catch (error) {
    return failureOf(error, "add user", sender);
  }
}

async function send(sender: Sender): Promise<Outcome> {
  const { access, context } = sender;
  const identity = identityOf(sender.wanted);
  const { email, lastName: last_name } = identity;
  const request = { email, first_name: firstNameOf(identity), last_name };
  const user = await context.api(access).createUser(request, context.operation);
  requireSameUser({ ...identity, organizationId: access.organizationId }, user, context);
  noteWrite("user added", { ...access, userId: user.id }, context);
  context.people.learn(user.id, nameOf(sender));
  const at = context.sendTime();
  if (!sender.can.listsUsers) return { is: "ok", userId: user.id, at };
  // The service adds users as members, with the names that it got.
  const sent = { id: user.id, role: "member", first_name: request.first_name, last_name };
  return { is: "ok", ...asListed(sent, sender), at };
}

function addListed(sender: Sender): Promise<Sent> {
  const { access, context, wanted } = sender;
  const { email, purpose, lastName } = identityOf(wanted);
  const key = email ?? JSON.stringify([purpose ?? null, lastName ?? null]);
  return context.runExclusive(`create ${access.organizationId} ${key}`, () => addNext(sender));
}

async function addNext(sender: Sender): Promise<Sent> {
  let before: Before | undefined;
  try {
    before = await usersBefore(sender);
    const user = await createOnce(attempts(sender, before), sender.context);
    return { outcome: user };
  } catch (error) {
    if (error instanceof Unsettled) return error.sent;
    const sent = failureOf(error, "add user", sender);
    const { outcome } = sent;
    const isOpen = outcome.is === "lost" || outcome.is === "late";
    return isOpen && before !== undefined
      ? { ...sent, outcome: { ...outcome, before: [...before.alike] } }
      : sent;
  }
}

/** The ids of the users from before. */
interface Before {
  /** Of these names: names alone do not tell a new user from one that somebody else adds. */
  readonly alike: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

async function usersBefore({ access, wanted, context }: Sender): Promise<Before> {
  const identity = identityOf(wanted);
  const list = await (identity.email === undefined ? freshMembers : sharedMembers)(access, context);
  const alike = identity.email === undefined ? usersLike(list, identity) : [];
  return { alike: new Set(alike.map(({ id }) => id)), all: new Set(list.byId.keys()) };
}

function attempts(sender: Sender, before: Before) {
  const { context, wanted } = sender;
  const isPerson = identityOf(wanted).email !== undefined;
  return {
    send: () => send(sender),
    async look(lost: ApiError): Promise<Outcome | undefined> {
      const list = await listAfter(sender, lost, before);
      const found = newIn(list, sender, before);
      const [user] = found;
      if (found.length > 1) throw open(sender, lost, before);
      if (user !== undefined) return ownOutcome(user, sender);
      // The service refuses a second user of an email, but not of other names.
      const mayBe = isUnfinished(lost) || newItemIn(list.odd, before.all) !== undefined;
      if (!isPerson && mayBe) throw open(sender, lost, before);
      return undefined;
    },
    async decide(failure: unknown, lost: ApiError | undefined): Promise<Outcome> {
      const isTaken = isRefused(failure, 409) || isRefused(failure, 422);
      if (!isPerson || !isTaken) throw failure;
      const [user] = newIn(await listAfter(sender, lost ?? failure, before), sender, before);
      if (user === undefined) throw failure;
      if (lost !== undefined) return ownOutcome(user, sender);
      const outcome = { is: "conflict", at: context.sendTime() } as const;
      throw new Unsettled({ outcome, error: alreadyMember(failure, user.id, sender) });
    },
    // The list shows that none of them had an effect.
    giveUp: (lost: ApiError) => {
      const { at } = outcomeOf("add user", lost, context.sendTime());
      return new Unsettled({ outcome: { is: "refused", isForGood: false, at }, error: lost });
    },
  };
}

function open(sender: Sender, lost: ApiError, before: Before): Unsettled {
  const outcome = outcomeOf("add user", lost, sender.context.sendTime());
  const isOpen = outcome.is === "lost" || outcome.is === "late";
  return new Unsettled({
    outcome: isOpen ? { ...outcome, before: [...before.alike] } : outcome,
    error: lostUser(lost, sender),
  });
}

async function listAfter(sender: Sender, cause: ApiError, before: Before): Promise<MemberList> {
  try {
    return await freshMembers(sender.access, sender.context);
  } catch {
    // What is held lets a later run decide.
    throw open(sender, cause, before);
  }
}

/** The listed users who may be the new one, without those whom this run has removed: a list can still show them. */
function newIn(list: MemberList, { access, wanted, context }: Sender, before: Before): ListedUser[] {
  return usersLike(list, identityOf(wanted)).filter(
    ({ id }) =>
      !before.alike.has(id) &&
      !isOwned(context, "OrgUser", id, access.organizationId) &&
      !wasWritten("user removed", { ...access, userId: id }, context),
  );
}

function ownOutcome(user: ListedUser, sender: Sender): Outcome {
  const { id } = user;
  const { access, context } = sender;
  noteWrite("user added", { ...access, userId: id }, context);
  context.people.learn(id, nameOf(sender));
  return { is: "ok", ...asListed(user, sender), at: context.sendTime() };
}

/** What a list shows of a new user. */
function asListed({ id, role, first_name, last_name }: ListedUser, { ref }: Sender) {
  const names = listedNames(ref, { firstName: first_name, lastName: last_name });
  return { userId: id, role: role ?? "member", ...(names !== undefined && { names }) };
}
