/** Revokes a token, removes a seat or a user: by the rules of absence and of the order of removal of all resources. */
import type { DeleteAnswer, Deleted } from "../../api/calls/organization.ts";
import type { Diagnostics } from "../../resources/contexts.ts";
import { isRefused } from "../../resources/failures.ts";
import { lacks, missingToken, provesNoUser, resolveOwn } from "../../resources/members/absence.ts";
import { freshMembers, listTokens } from "../../resources/members/reads.ts";
import { removeInOrder, revokeById } from "../../resources/members/removal.ts";
import { describeTokens, liveTokens } from "../../resources/members/token-list.ts";
import { settledRemoval } from "../../resources/pauses.ts";
import { CodedError } from "../../util/error-codes.ts";
import type { Outcome } from "../advance.ts";
import { asOwn, type HeldToken, type HeldUser } from "../held.ts";
import { failureOf, refusedRemoval } from "./failures.ts";
import { outcomeOfDelete } from "./outcome.ts";
import { nameOf, ownerOf, type Sender, type Sent } from "./sender.ts";

/** @param isFollowed whether a later removal of the same user proves this one */
export async function revokeToken(
  user: HeldUser,
  token: HeldToken | undefined,
  isFollowed: boolean,
  sender: Sender,
): Promise<Sent> {
  try {
    return { outcome: await revoked(user, token, isFollowed, sender) };
  } catch (error) {
    return failureOf(error, "revoke token", sender, user.id);
  }
}

async function revoked(
  user: HeldUser,
  token: HeldToken | undefined,
  isFollowed: boolean,
  sender: Sender,
): Promise<Outcome> {
  const { access, can, context } = sender;
  if (!can.revokesByTokenId) {
    const revoke = () => context.service.api(access).revokeToken(user.id, context.time.operation);
    const what = `the token of ${nameOf(sender, user.id)}`;
    const answer = isFollowed ? await revoke() : await settledRemoval(revoke, { what }, context);
    return outcomeOfDelete(answer, { isProven: false, isFollowed }, context.time.sendTime());
  }
  const id = token && (token.id ?? (await idOf(user, token, sender)));
  if (id === undefined) return { is: "gone", at: context.time.sendTime() };
  const removed = await revokeById(id, ownerOf(sender, user), context);
  return outcomeOfDelete(removed, { isProven: true, isFollowed }, context.time.sendTime());
}

/** The id of a token that no list has shown yet; undefined if the lists show that it is revoked, or was never issued. */
async function idOf(user: HeldUser, token: HeldToken, sender: Sender): Promise<string | undefined> {
  const listed = (await listTokens(ownerOf(sender, user), sender.context)) ?? [];
  const others = user.tokens.flatMap(({ id }) => id ?? []);
  const own = resolveOwn(listed, {
    ...asOwn(token),
    otherTokenIds: token.others && [...token.others, ...others],
  });
  const who = nameOf(sender, user.id);
  if ("token" in own) return own.token.id;
  if ("gone" in own || ("missing" in own && token.value === "lost")) return undefined;
  if ("missing" in own) throw new CodedError("token-gone", missingToken(who));
  throw new CodedError(
    "ambiguous",
    `cannot tell which token of ${who} is the one in the state: ${describeTokens(own.candidates)}. Revoke the others in the service, or set \`adopt\` of the token to the id of one of them`,
  );
}

/**
 * Whoever issued them: the service removes no user who has one.
 * @param isRemoved whether "remove user" follows, which decides about a token that the service lists and does not find: a list
 * need not say which tokens are revoked
 */
export async function revokeOthers(user: HeldUser, isRemoved: boolean, sender: Sender): Promise<Sent> {
  const { access, context } = sender;
  const owner = ownerOf(sender, user);
  try {
    const known = new Set(user.tokens.map(({ id }) => id));
    const listed = await listTokens(owner, context).catch(async (error: unknown) => {
      // Of a user who is gone there is nothing to revoke: "remove user" proves it.
      const list = provesNoUser(error) ? await freshMembers(owner, context) : undefined;
      if (list === undefined || !lacks(list, { userId: user.id })) throw error;
      return [];
    });
    const revoke = (id: string) =>
      isRemoved
        ? context.service.api(access).revokeToken(user.id, context.time.operation, id)
        : revokeById(id, owner, context);
    const others = liveTokens(listed ?? []).filter(({ id }) => !known.has(id));
    for (const { id } of others) await revoke(id);
    return { outcome: { is: others.length === 0 ? "gone" : "ok", at: context.time.sendTime() } };
  } catch (error) {
    return failureOf(error, "revoke token", sender, user.id);
  }
}

export function removeSeat(user: HeldUser, isFollowed: boolean, sender: Sender): Promise<Sent> {
  const { access } = sender;
  const call = (context: Sender["context"]) =>
    context.service.api(access).removeSeat(user.id, context.time.operation);
  return remove("remove seat", { user, isFollowed, call }, sender);
}

export function removeUser(user: HeldUser, sender: Sender): Promise<Sent> {
  const { access } = sender;
  const call = (context: Sender["context"]) =>
    context.service.api(access).removeUser(user.id, context.time.operation);
  return remove("remove user", { user, isFollowed: false, call }, sender);
}

interface Removal {
  readonly user: HeldUser;
  readonly isFollowed: boolean;
  readonly call: (context: Sender["context"]) => Promise<DeleteAnswer>;
}

async function remove(
  name: "remove seat" | "remove user",
  { user, isFollowed, call }: Removal,
  sender: Sender,
): Promise<Sent> {
  const { access, can } = sender;
  const { diagnostics: said } = sender.context;
  // A later removal proves it, or says that it counts as removed.
  const diagnostics: Diagnostics =
    isFollowed && !can.canListUsers ? { ...said, warn: () => undefined } : said;
  const context = { ...sender.context, diagnostics };
  const isUser = name === "remove user";
  try {
    const type = isUser ? "OrgUser" : "SeatAssignment";
    const order = { type, owner: access, userId: user.id, call: () => call(context) } as const;
    const removed: Deleted = await removeInOrder(context, order);
    const proof = { isProven: can.canListUsers, isFollowed };
    return { outcome: outcomeOfDelete(removed, proof, context.time.sendTime()) };
  } catch (error) {
    const isLeft = isUser && isRefused(error, 409);
    const shown = isLeft ? refusedRemoval(error, await leftover(user, sender), user, sender) : error;
    return failureOf(shown, name, sender, user.id);
  }
}

/** What the user still has; undefined if the lists show neither a seat nor a token. One that fails adds nothing to the refusal. */
async function leftover(user: HeldUser, sender: Sender): Promise<string | undefined> {
  const { context } = sender;
  const owner = ownerOf(sender, user);
  const listed = await listTokens(owner, context).catch(() => []);
  // Without lists, it is the only reason that the contract has.
  if (listed === undefined) return "a seat or a token";
  const live = liveTokens(listed);
  if (live.length > 0) return `a seat or a token: ${describeTokens(live)}`;
  const list = await freshMembers(owner, context).catch(() => undefined);
  const seat = { userId: user.id, seat: { product: undefined } };
  return list === undefined || lacks(list, seat) ? undefined : "a seat";
}
