/** `orgseat resolve`: whether a machine user exists whose creation got no answer. */

import { capabilitiesOf } from "../../provider/config/settings.ts";
import { newcomers } from "../../provider/resources/members/member-list.ts";
import { isHiding } from "../../provider/service/members.ts";
import { CodedError, codeOf } from "../../provider/util/error-codes.ts";
import { resolveMember } from "../preview/resolve-members.ts";
import { idField } from "../roster/field-forms.ts";
import { type AuditedUser, closeLostUser, hashOfUser, lostUsers } from "../service/lost-users.ts";
import { listedMembers, mayHaveUser, membersOfService } from "../service/service-members.ts";
import type { Organization } from "../stacks/organization.ts";
import {
  membersIn,
  readState,
  type State,
  type StateMember,
  statesOf,
  userIdsIn,
} from "../stacks/stack-state.ts";
import {
  type CreationDecision,
  dueCreationsIn,
  hasUser,
  type OpenCreation,
  openCreationsIn,
  withDecision,
} from "../stacks/undecided.ts";

export interface ResolveResult {
  readonly key: string;
  /** The purpose. */
  readonly who: string;
  /** The stack whose state has the decision; undefined if the audit log has it. */
  readonly stack: string | undefined;
  /** Undefined: the next `up` creates the user. */
  readonly userId: string | undefined;
}

interface ResolveOptions {
  readonly signal?: AbortSignal | undefined;
  /** Is called before the decision is recorded. */
  readonly onRecord?: (() => void) | undefined;
}

/** A machine user of the roster whom the audit log alone shows. */
interface LostMember extends Pick<OpenCreation, "key" | "label" | "inputs"> {
  readonly stack: undefined;
}

/**
 * Records the decision in the state, where the next `up` acts on it: it keeps the user, or creates it. Changes nothing in
 * the service.
 * @param who a key or a purpose
 * @throws if no run may have created this machine user, a stack has the user of the decision, or the service can list
 * users and does not list this one
 */
export async function resolveCreation(
  organization: Organization,
  who: string,
  decision: CreationDecision,
  { signal, onRecord }: ResolveOptions = {},
): Promise<ResolveResult> {
  const userId = "exists" in decision ? decision.exists : undefined;
  if (userId !== undefined && !idField.safeParse(userId).success)
    throw new CodedError(
      "invalid-flag",
      `invalid user id ${userId}: expected an id from the service, such as 7a1f2c3d`,
    );
  const states = await statesOf(organization);
  const open = openCreationsIn(states);
  const lost = lostUsers(organization, userIdsIn(states));
  const managed = new Set([...open, ...membersIn(states)].map(({ key }) => key));
  const known = [...open, ...lostMembers(organization, managed, lost)];
  const found = resolveMember(who, known, "the list of machine users that may exist");
  const { key, label, stack, inputs } = found;
  if (userId !== undefined) {
    requireFreeUser(userId, label, found.stack === undefined ? "" : found.urn, states);
    await requireListed(organization, userId, signal);
  }
  if (userId !== undefined && stack === undefined)
    throw new CodedError(
      "invalid-flag",
      `cannot record user ${userId} for ${label} in a state: only the audit log shows this creation. Write ${userId} into \`user_id\` of the row instead, then run \`orgseat up\``,
    );
  signal?.throwIfAborted();
  onRecord?.();
  if (found.stack !== undefined) await recordDecision(organization, found, decision);
  const logged = lost.find(({ hash }) => hash === hashOfUser(inputs));
  if (userId === undefined && logged) closeLostUser(organization, logged, organization.now());
  return { key, who: label, stack, userId };
}

/** The rows without a user in the states, whose user only the audit log shows. @param managed the keys in the states */
function lostMembers(
  { roster: { people, organizationId } }: Organization,
  managed: ReadonlySet<string>,
  lost: readonly AuditedUser[],
): LostMember[] {
  const hashes = new Set(lost.map(({ hash }) => hash));
  return people.flatMap(({ key, purpose, userId }) => {
    const inputs = { organizationId, purpose };
    const isLost = purpose !== undefined && userId === undefined && hashes.has(hashOfUser(inputs));
    return isLost && !managed.has(key) ? [{ key, label: purpose, inputs, stack: undefined }] : [];
  });
}

/** @throws if another run holds the lock of the stack */
async function recordDecision(
  { engine }: Organization,
  creation: OpenCreation,
  decision: CreationDecision,
): Promise<void> {
  const { stack } = creation;
  const state = readState(stack, await engine.exportStack(stack));
  await engine.importStack(stack, withDecision(state, creation, decision));
}

function requireFreeUser(
  userId: string,
  label: string,
  urn: string,
  states: ReadonlyMap<string, State>,
): void {
  if (![...states.values()].some((state) => hasUser(state, userId, urn))) return;
  throw new CodedError(
    "wrong-user-id",
    `cannot use user ${userId} for ${label}: a stack already manages this user for another person. Check the user id in the service's admin console`,
  );
}

/** A run that does not find the user of a decision creates another one. */
async function requireListed(
  organization: Organization,
  userId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (mayHaveUser(await listedMembers(organization, new Set([userId]), signal), userId)) return;
  throw new CodedError(
    "wrong-user-id",
    `user ${userId} is not in the organization. Check the user id in the service's admin console; if the user does not exist, pass --missing`,
  );
}

/**
 * Makes the decisions that the list of users leaves no doubt about: it has no user of these names whom no state has and
 * who was not there before, or exactly one. An item that cannot be read may be such a user. Sends no change to the service.
 */
export async function settleByList(
  organization: Organization,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { settings, roster } = organization;
  if (!capabilitiesOf(settings).canListUsers || settings.account === undefined) return;
  if (!roster.people.some(({ purpose }) => purpose !== undefined)) return;
  const states = await statesOf(organization);
  const due = dueCreationsIn(states);
  if (due.length === 0) return;
  const known = userIdsIn(states);
  const managed = membersIn(states);
  // A list can lack a new user.
  const lists = [await listOf(organization, managed, signal), await listOf(organization, managed, signal)];
  for (const creation of due) {
    const found = lists.map(({ users }) => newcomers(users, creation).filter(({ id }) => !known.has(id)));
    const ids = new Set(found.flat().map(({ id }) => id));
    const [id] = ids;
    const isTwin = due.some((one) => one !== creation && one.label === creation.label);
    const isClear = ids.size === 1 && creation.before !== undefined && !isTwin;
    const missing = lists.some(isHiding) ? undefined : ({ missing: true } as const);
    const decision = id === undefined ? missing : isClear ? { exists: id } : undefined;
    if (decision) await recordDecision(organization, creation, decision).catch(ignoreLock);
  }
}

/** The run says who holds the lock, and how to remove it. */
function ignoreLock(error: unknown): void {
  if (codeOf(error) !== "stack-locked") throw error;
}

function listOf(
  organization: Organization,
  managed: readonly StateMember[],
  signal: AbortSignal | undefined,
) {
  return membersOfService(organization, { managed, tokensOf: () => [], signal });
}
