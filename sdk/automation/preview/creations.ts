/**
 * Machine users whose creation an earlier run did not finish. The user may exist. If the service does not list its
 * users, `up` creates it again only after a decision; otherwise the provider looks for it in the list. Tags of the stacks
 * show these creations, and the audit log those that a restored state lacks.
 */

import { capabilitiesOf } from "../../../provider/config/settings.ts";
import {
  type AuditedUser,
  auditedUsers,
  isOfStack,
  joinLog,
  type LoggedTag,
} from "../../../provider/unfinished/audited.ts";
import {
  type CreationTag,
  closeTag,
  compareTags,
  creationTagsIn,
  hashOf,
  newTagName,
  tagValue,
} from "../../../provider/unfinished/tags.ts";
import { mapConcurrently, take } from "../../../provider/util/lists.ts";
import { shellWord } from "../../../provider/util/text.ts";
import { isStackOf } from "../engine/stack-names.ts";
import type { Member } from "../plan/members.ts";
import type { NextOfCreation } from "../plan/plan.ts";
import { nameIn, type Step } from "../plan/steps/steps.ts";
import { removedUsers } from "../service/audit-log.ts";
import type { Declaration, Organization, PlacedStacks } from "../stacks/organization.ts";

/** A tag, with the stack that has it. */
interface StackTag extends CreationTag {
  readonly stack: string;
}

/** What earlier runs left that concerns the creations of a plan. */
export interface LeftCreations {
  /** Machine users of the plan whom an earlier run may have created. */
  readonly creations: readonly EarlierCreation[];
  /** Tags of users whom another stack has by now. */
  readonly movedTags: readonly StackTag[];
}

/** A machine user whom this plan creates, and whom an earlier run may have created. */
export interface EarlierCreation extends Member {
  readonly urn: string;
  /** Of organization and names. */
  readonly hash: string;
  /** When the earlier run sent the request, a timestamp. */
  readonly time: string;
  readonly next: NextOfCreation;
  /** The tag that shows it; undefined if only the audit log does. */
  readonly tag: StackTag | undefined;
}

/** @param failed stacks without a preview, so without steps */
export async function earlierCreations(
  organization: Organization,
  steps: readonly Step[],
  failed: readonly string[] = [],
): Promise<LeftCreations> {
  const creations = steps.filter(createsMachineUser);
  const { canListUsers } = capabilitiesOf(organization.settings);
  const { tags, lost, movedTags } = await leftOver(organization, creations, { steps, failed });
  const found = creations.flatMap((step) => {
    const hash = hashOfStep(step);
    // Two users with the same names have a tag each.
    const tag = take(tags, (one) => one.hash === hash);
    if (tag) return earlierOf(step, { ...tag, userId: tag.userId ?? tag.loggedId }, tag, canListUsers);
    const user = take(lost, (one) => one.hash === hash && isOfStack(one, step.stack));
    return user === undefined ? [] : earlierOf(step, user, undefined, canListUsers);
  });
  return { creations: found, movedTags };
}

/** The creations of a plan that a decision has closed, which another decision can still change. */
export async function closedCreations(
  organization: Organization,
  steps: readonly Step[],
): Promise<EarlierCreation[]> {
  const creations = steps.filter(createsMachineUser);
  if (creations.length === 0) return [];
  const closed = (await creationTags(organization)).filter(({ isClosed }) => isClosed);
  return creations.flatMap((step) => {
    const tag = take(closed, ({ hash }) => hash === hashOfStep(step));
    return tag === undefined ? [] : earlierOf(step, tag, tag, false);
  });
}

/** The members with a machine user about whom a decision is due now. */
export async function openCreations(
  organization: Organization,
  steps: readonly Step[],
  failed: readonly string[],
): Promise<Set<string>> {
  const { creations } = await earlierCreations(organization, steps, failed);
  return new Set(creations.flatMap(({ key, next }) => (next === "wait" ? key : [])));
}

/** The creations of earlier runs whose users no state has, if there is anything to create. */
async function leftOver(
  organization: Organization,
  creations: readonly Step[],
  { steps, failed }: { steps: readonly Step[]; failed: readonly string[] },
): Promise<{ tags: LoggedTag<StackTag>[]; lost: AuditedUser[]; movedTags: StackTag[] }> {
  if (creations.length === 0) return { tags: [], lost: [], movedTags: [] };
  const all = await creationTags(organization);
  const inStates = new Map([
    ...(await usersOfFailed(organization, failed, all)),
    ...steps.flatMap(({ type, id, stack }) => (type === "OrgUser" && id ? [[id, stack] as const] : [])),
  ]);
  const hashes = new Set(creations.map(hashOfStep));
  const isMoved = ({ isClosed, userId = "", stack, hash }: StackTag): boolean =>
    !isClosed && inStates.has(userId) && inStates.get(userId) !== stack && hashes.has(hash);
  const recorded = new Set(all.map(({ userId }) => userId));
  const audited = auditedUsers(organization.auditFile);
  const removed = removedUsers(organization.auditFile);
  return {
    ...joinLog(
      all.filter(
        ({ isClosed, userId }) => !isClosed && !(userId && (inStates.has(userId) || removed.has(userId))),
      ),
      audited.filter(({ userId }) => !inStates.has(userId) && !recorded.has(userId)),
      (user, tag) => isOfStack(user, tag.stack),
    ),
    // The provider knows the state of its stack alone: it would take the user.
    movedTags: all.filter(isMoved),
  };
}

/** By id, the users of stacks without a preview. Of a state that cannot be read: those whom the tags of its stack name. */
async function usersOfFailed(
  { engine: { store } }: PlacedStacks,
  failed: readonly string[],
  tags: readonly StackTag[],
): Promise<(readonly [userId: string, stack: string])[]> {
  const found = failed.map(async (stack) => {
    const named = tags.flatMap((tag) => (tag.stack === stack ? (tag.userId ?? []) : []));
    const ids = named.length === 0 ? named : await store.userIdsIn(stack).catch(() => named);
    return [...ids].map((id) => [id, stack] as const);
  });
  return (await Promise.all(found)).flat();
}

/** The tags of all stacks that can have people of this roster: a row may have moved to another stack. */
async function creationTags(organization: Declaration & PlacedStacks): Promise<StackTag[]> {
  const { engine, baseName, stacks, newStacks, concurrency } = organization;
  const own = stacks.filter((stack) => !newStacks.includes(stack));
  const listed = await engine.listStacks(baseName);
  const others = listed.map(({ name }) => name).filter((name) => isStackOf(baseName, name));
  const found = await mapConcurrently(new Set([...own, ...others]), concurrency, async (stack) =>
    creationTagsIn(await engine.store.tags(stack)).map((tag) => ({ ...tag, stack })),
  );
  return found.flat().toSorted(compareTags);
}

export function createsMachineUser({ type, action, news }: Step): boolean {
  if (type !== "OrgUser" || (action !== "create" && action !== "replace")) return false;
  return news?.email === undefined && news?.adopt === undefined;
}

/** Of organization and names: machine users with the same names have the same hash. */
export function hashOfStep({ news = {} }: Step): string {
  const text = (name: string): string | undefined => {
    const value = news[name];
    return typeof value === "string" ? value : undefined;
  };
  return hashOf({
    organizationId: text("organizationId") ?? "",
    purpose: text("purpose"),
    lastName: text("lastName"),
  });
}

function earlierOf(
  step: Step,
  { time, userId }: Pick<CreationTag, "time" | "userId">,
  tag: StackTag | undefined,
  canListUsers: boolean,
): EarlierCreation {
  return {
    ...{ key: step.member, stack: step.stack, urn: step.urn, hash: hashOfStep(step), time, userId, tag },
    label: nameIn(step.news) ?? step.member,
    next: nextOf(tag, canListUsers),
  };
}

function nextOf(tag: StackTag | undefined, canListUsers: boolean): NextOfCreation {
  // What only the audit log shows may have been removed by hand, and another stack with the same log may have it.
  if (tag === undefined) return canListUsers ? "check" : "wait";
  if (canListUsers) return "find";
  return tag.userId === undefined ? "wait" : "take";
}

/** Moves tags to the stacks that create their users now, where the provider reads them. Is called as late as possible: it holds no lock. */
export async function prepareCreations(
  { engine: { store } }: PlacedStacks,
  { creations, movedTags }: LeftCreations,
): Promise<void> {
  for (const tag of movedTags) await closeTag(store, tag.stack, tag);
  for (const { stack, tag } of creations) {
    if (tag === undefined || tag.stack === stack) continue;
    await store.setTag(stack, newTagName(tag.hash), tagValue({ ...tag, isClosed: false }));
    await closeTag(store, tag.stack, tag);
  }
}

/** One line of a preview. */
export function describeCreation({ key, label, time, userId, next }: EarlierCreation): string {
  if (next === "take") {
    return `${label}: a run at ${time} created this machine user as user ${userId}. \`orgseat up\` adds it to the state, and changes nothing in the service.`;
  }
  if (next === "find") {
    return `${label}: a run at ${time} sent the request to create this machine user. \`orgseat up\` looks for the user in the list of users, and creates it if it is not there.`;
  }
  if (next === "check") {
    return `${label}: the audit log shows that a run at ${time} created this machine user as user ${userId}, but no state contains it. \`orgseat up\` checks the list of users: if it contains this user, the run waits for your decision; otherwise it creates the machine user. ${describeDecision(key, userId)}`;
  }
  const response = userId === undefined ? "recorded no response" : `received user ${userId}`;
  return `${label}: skipped. A run at ${time} sent the request to create this machine user and ${response}, so the user may exist. ${describeDecision(key, userId)}`;
}

/** What to do after a creation without a recorded response. */
export function describeDecision(key: string, userId = "<user id>"): string {
  const who = shellWord(key);
  return `Check in the service's admin console whether the user exists. If it does, run \`orgseat resolve ${who} --exists ${userId}\`; if not, run \`orgseat resolve ${who} --missing\`.`;
}
