/** The machine users that the audit log shows as added in a stack and not removed: a restored state can lack them. */
import { type AuditLine, auditLinesIn } from "../api/schemas/audit-lines.ts";
import { take } from "../util/lists.ts";
import type { CreationTag } from "./tags.ts";

export interface AuditedUser {
  readonly userId: string;
  readonly hash: string;
  /** When it was added, a timestamp. */
  readonly time: string;
  /** Undefined if the run did not know it. */
  readonly stack: string | undefined;
}

/** The users of an audit log; none if there is no file. */
export function auditedUsers(file: string): AuditedUser[] {
  return auditedUsersOf(auditLinesIn(file));
}

function auditedUsersOf(lines: readonly AuditLine[]): AuditedUser[] {
  const users = new Map<string, AuditedUser>();
  for (const { id, name, names: hash, time, stack, outcome, organizationId } of lines) {
    if (id === undefined || outcome !== "done") continue;
    const key = `${organizationId}/${id}`;
    if (hash !== undefined) users.set(key, { userId: id, hash, time, stack });
    else if (name === "remove user") users.delete(key);
  }
  return [...users.values()];
}

/** An open tag, with the user that the audit log shows for it and the tag itself lacks. */
export type LoggedTag<Tag extends CreationTag = CreationTag> = Tag & {
  readonly loggedId: string | undefined;
};

/**
 * A run can end after the line in the log and before the user is in the tag: the two are one creation. Gives each user
 * to the latest tag of its names without a user that was set before.
 * @param tags those that are not closed
 * @param users whom neither a state nor a tag has
 * @returns the tags in their order, and the users without a tag
 */
export function joinLog<Tag extends CreationTag>(
  tags: readonly Tag[],
  users: readonly AuditedUser[],
  isOfStackOf: (user: AuditedUser, tag: Tag) => boolean = () => true,
): { tags: LoggedTag<Tag>[]; lost: AuditedUser[] } {
  const unanswered = tags.filter(({ userId }) => userId === undefined);
  const latestFirst = unanswered.toSorted((a, b) => (a.time < b.time ? 1 : -1));
  const logged = new Map<Tag, string>();
  const lost = users.filter((user) => {
    const { hash, time, userId } = user;
    const tag = take(latestFirst, (one) => one.hash === hash && one.time <= time && isOfStackOf(user, one));
    if (tag) logged.set(tag, userId);
    return tag === undefined;
  });
  return { tags: tags.map((tag) => ({ ...tag, loggedId: logged.get(tag) })), lost };
}

/** Those of one stack, with lines that name no stack. */
export function auditedIn(file: string, stack: string): AuditedUser[] {
  return auditedUsers(file).filter((user) => isOfStack(user, stack));
}

/** A line has the stack as PULUMI_STACK named it: with or without a project. A line without a stack is of each. */
export function isOfStack(user: Pick<AuditedUser, "stack">, stack: string): boolean {
  if (user.stack === undefined) return true;
  const [one, other] = [partsOf(user.stack), partsOf(stack)];
  if (one.name !== other.name) return false;
  return one.project === undefined || other.project === undefined || one.project === other.project;
}

/** @param stack `people`, `acme/people`, or `acme/orgseat/people` */
function partsOf(stack: string): { name: string | undefined; project: string | undefined } {
  const parts = stack.split("/");
  return { name: parts.at(-1), project: parts.length === 3 ? parts[1] : undefined };
}
